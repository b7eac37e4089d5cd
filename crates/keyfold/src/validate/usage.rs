//! What each accessor and buffer view is used for: one accessor serves one purpose, one buffer view one kind of data.
//!
//! Purposes are collected in the order in which Khronos' validator looks: sparse data, meshes, skins, animations. The
//! first one counts, each later one of another kind is reported where it is written.

use super::{
    Findings,
    khronos::{ACCESSOR_USAGE_OVERRIDE, BUFFER_VIEW_TARGET_OVERRIDE},
    model::{INDEX_TARGET, Model, VERTEX_TARGET},
};

/// What an accessor is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Use {
    Vertices,
    Indices,
    BindMatrices,
    Times,
    Values,
}

/// What a buffer view holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Content {
    Vertices,
    Indices,
    BindMatrices,
    Image,
    Other,
}

impl Use {
    fn content(self) -> Content {
        match self {
            Self::Vertices => Content::Vertices,
            Self::Indices => Content::Indices,
            Self::BindMatrices => Content::BindMatrices,
            Self::Times | Self::Values => Content::Other,
        }
    }
}

struct Uses<'a, 'd> {
    model: &'a Model<'d>,
    accessors: Vec<Option<Use>>,
    views: Vec<Option<Content>>,
    findings: &'a mut Findings,
}

pub(super) fn rules(model: &Model<'_>, findings: &mut Findings) {
    let stated = |target| match target {
        Some(VERTEX_TARGET) => Some(Content::Vertices),
        Some(INDEX_TARGET) => Some(Content::Indices),
        _ => None,
    };
    let views = model.views.iter().map(|view| stated(view.as_ref()?.target)).collect();
    let mut uses = Uses { model, accessors: vec![None; model.accessors.len()], views, findings };
    uses.sparse();
    uses.images();
    uses.meshes();
    uses.skins();
    uses.animations();
}

impl Uses<'_, '_> {
    fn accessor(&mut self, index: Option<usize>, purpose: Use, at: impl Fn() -> String) {
        let Some((index, accessor)) = index.and_then(|i| Some((i, self.model.accessor(i)?))) else { return };
        let first = *self.accessors[index].get_or_insert(purpose);
        if first != purpose {
            let message = format!("accessor {index} serves as {first:?} already, and as {purpose:?} here");
            self.findings.add(&ACCESSOR_USAGE_OVERRIDE, at(), message);
        }
        self.view(accessor.view, purpose.content(), at);
    }

    fn view(&mut self, index: Option<usize>, content: Content, at: impl Fn() -> String) {
        let Some(index) = index.filter(|i| self.model.view(*i).is_some()) else { return };
        let first = *self.views[index].get_or_insert(content);
        if first != content {
            let message = format!("buffer view {index} holds {first:?} already, and {content:?} here");
            self.findings.add(&BUFFER_VIEW_TARGET_OVERRIDE, at(), message);
        }
    }

    fn sparse(&mut self) {
        let model = self.model;
        for (i, accessor) in model.accessors.iter().enumerate() {
            let Some(sparse) = accessor.as_ref().and_then(|a| a.sparse.as_ref()) else { continue };
            for (name, slot) in [("indices", &sparse.indices), ("values", &sparse.values)] {
                let view = slot.as_ref().and_then(|slot| slot.view);
                self.view(view, Content::Other, || format!("/accessors/{i}/sparse/{name}/bufferView"));
            }
        }
    }

    fn images(&mut self) {
        for i in 0..self.model.document.count("images") {
            let view = self.model.document.element("images", i).and_then(|image| image.index("bufferView"));
            self.view(view.ok().flatten(), Content::Image, || format!("/images/{i}/bufferView"));
        }
    }

    fn meshes(&mut self) {
        let model = self.model;
        for (i, mesh) in model.meshes.iter().enumerate() {
            let primitives = mesh.as_ref().and_then(|mesh| mesh.primitives.as_ref());
            for (j, primitive) in primitives.into_iter().flatten().enumerate() {
                for (step, accessor) in &primitive.attributes {
                    self.accessor(Some(*accessor), Use::Vertices, || format!("/meshes/{i}/primitives/{j}/{step}"));
                }
                self.accessor(primitive.indices, Use::Indices, || format!("/meshes/{i}/primitives/{j}/indices"));
            }
        }
    }

    fn skins(&mut self) {
        let model = self.model;
        for (i, skin) in model.skins.iter().enumerate() {
            let matrices = skin.as_ref().and_then(|skin| skin.matrices);
            self.accessor(matrices, Use::BindMatrices, || format!("/skins/{i}/inverseBindMatrices"));
        }
    }

    fn animations(&mut self) {
        let model = self.model;
        for (i, animation) in model.animations.iter().enumerate() {
            let Some(animation) = animation.as_ref().filter(|a| a.channels.is_some()) else { continue };
            for (j, sampler) in animation.samplers.iter().flatten().enumerate() {
                self.accessor(sampler.input, Use::Times, || format!("/animations/{i}/samplers/{j}/input"));
                self.accessor(sampler.output, Use::Values, || format!("/animations/{i}/samplers/{j}/output"));
            }
        }
    }
}
