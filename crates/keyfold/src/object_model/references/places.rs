//! The table: every place where an object is referred to, for core and for each extension that Keyfold knows.
//!
//! An extension is known when it stands in [`EXTENSIONS`], and it may stand there only with all of its places. What
//! it may refer to beyond them is said in `opaque`: drafts that bore the same name often named other places. Where a
//! draft had its own ways to refer to storage (EXT_mesh_features, EXT_structural_metadata), or may have had
//! (KHR_audio), the extension is left out: losing data is worse than keeping a few bytes.
//!
//! Slots for textures are found by rule: in a material, at any depth, every member that ends in `Texture` is a
//! textureInfo. The extensions listed here keep to it.

use super::collection::Collection::{self, *};
use super::pattern::{ReferencePattern, to};

struct Extension {
    name: &'static str,
    places: &'static [ReferencePattern],
    /// Collections that it may also refer to in ways that no pattern says.
    opaque: &'static [Collection],
}

const fn known(name: &'static str, places: &'static [ReferencePattern]) -> Extension {
    Extension { name, places, opaque: &[] }
}

/// An extension with places that are not listed, but none that refers to other collections than these.
const fn partly(name: &'static str, places: &'static [ReferencePattern], opaque: &'static [Collection]) -> Extension {
    Extension { name, places, opaque }
}

/// An extension without references to objects at the root.
const fn plain(name: &'static str) -> Extension {
    known(name, &[])
}

const CORE: &[ReferencePattern] = &[
    to(Accessors, "/meshes/*/primitives/*/attributes/*"),
    to(Accessors, "/meshes/*/primitives/*/indices"),
    to(Accessors, "/meshes/*/primitives/*/targets/*/*"),
    to(Accessors, "/skins/*/inverseBindMatrices"),
    to(Accessors, "/animations/*/samplers/*/input"),
    to(Accessors, "/animations/*/samplers/*/output"),
    to(BufferViews, "/accessors/*/bufferView"),
    to(BufferViews, "/accessors/*/sparse/indices/bufferView"),
    to(BufferViews, "/accessors/*/sparse/values/bufferView"),
    to(BufferViews, "/images/*/bufferView"),
    to(Buffers, "/bufferViews/*/buffer"),
    to(Cameras, "/nodes/*/camera"),
    to(Images, "/textures/*/source"),
    to(Materials, "/meshes/*/primitives/*/material"),
    to(Meshes, "/nodes/*/mesh"),
    to(Nodes, "/scenes/*/nodes/*"),
    to(Nodes, "/nodes/*/children/*"),
    to(Nodes, "/skins/*/joints/*"),
    to(Nodes, "/skins/*/skeleton"),
    to(Nodes, "/animations/*/channels/*/target/node"),
    to(Samplers, "/textures/*/sampler"),
    to(Scenes, "/scene"),
    to(Skins, "/nodes/*/skin"),
    to(Textures, "/materials/*/**/*Texture/index"),
];

/// Texts that are JSON pointers into the document: the targets of animation pointers, in every form that was written.
const POINTER_TEXTS: &[&str] = &[
    "/animations/*/channels/*/target/extensions/KHR_animation_pointer/pointer",
    "/animations/*/channels/*/target/extensions/KHR_animation_pointer/path",
    "/animations/*/channels/*/target/extensions/KHR_animation2/path",
    "/animations/*/channels/*/target/extensions/KHR_animation2/pointer",
    "/animations/*/channels/*/target/path",
    "/animations/*/channels/*/targetpointer",
    "/animations/*/channels/*/targets/*",
    "/animations/*/extensions/EXT_property_animation/channels/*/target",
];

const EXTENSIONS: &[Extension] = &[
    // Animation
    plain("KHR_animation_pointer"),
    plain("KHR_animation2"),
    plain("EXT_animation_quantization"),
    plain("EXT_animation_sqlerp"),
    plain("EXT_property_animation"),
    known("Draco_animation_compression", DRACO_ANIMATION),
    known("DRACO_animation_compression", DRACO_ANIMATION_UPPER),
    // Storage
    known(
        "KHR_draco_mesh_compression",
        &[to(BufferViews, "/meshes/*/primitives/*/extensions/KHR_draco_mesh_compression/bufferView")],
    ),
    known("EXT_meshopt_compression", &[to(Buffers, "/bufferViews/*/extensions/EXT_meshopt_compression/buffer")]),
    known("KHR_meshopt_compression", &[to(Buffers, "/bufferViews/*/extensions/KHR_meshopt_compression/buffer")]),
    known("MESHOPT_compression", &[to(Buffers, "/bufferViews/*/extensions/MESHOPT_compression/buffer")]),
    known("KEYFOLD_animation_stream", &[to(Buffers, "/bufferViews/*/extensions/KEYFOLD_animation_stream/buffer")]),
    plain("KHR_mesh_quantization"),
    // Meshes and nodes
    known("EXT_mesh_gpu_instancing", &[to(Accessors, "/nodes/*/extensions/EXT_mesh_gpu_instancing/attributes/*")]),
    known(
        "KHR_materials_variants",
        &[
            to(Materials, "/meshes/*/primitives/*/extensions/KHR_materials_variants/mappings/*/material"),
            // As its draft spelled it.
            to(Materials, "/meshes/*/primitives/*/extensions/KHR_materials_variants/mapping/*/material"),
        ],
    ),
    known(
        "MSFT_lod",
        &[to(Nodes, "/nodes/*/extensions/MSFT_lod/ids/*"), to(Materials, "/materials/*/extensions/MSFT_lod/ids/*")],
    ),
    known(
        "CESIUM_primitive_outline",
        &[to(Accessors, "/meshes/*/primitives/*/extensions/CESIUM_primitive_outline/indices")],
    ),
    plain("EXT_instance_features"),
    plain("FB_ngon_encoding"),
    // The root is the node with index 0.
    partly("GODOT_single_root", &[], &[Nodes]),
    plain("AGI_articulations"),
    plain("CESIUM_RTC"),
    plain("KHR_node_visibility"),
    plain("KHR_node_hoverability"),
    plain("KHR_node_selectability"),
    // Its graphs hold indices of scene objects as plain numbers; the object model has no way to name storage.
    partly("KHR_interactivity", &[], SCENE_OBJECTS),
    // Lights and sound
    known("KHR_lights_punctual", &[to(PunctualLights, "/nodes/*/extensions/KHR_lights_punctual/light")]),
    known(
        "EXT_lights_image_based",
        &[
            to(ImageBasedLights, "/scenes/*/extensions/EXT_lights_image_based/light"),
            to(Images, "/extensions/EXT_lights_image_based/lights/*/specularImages/*/*"),
        ],
    ),
    known(
        "EXT_lights_ies",
        &[
            to(IesLights, "/nodes/*/extensions/EXT_lights_ies/light"),
            to(BufferViews, "/extensions/EXT_lights_ies/lights/*/bufferView"),
        ],
    ),
    known("KHR_audio_emitter", &[to(BufferViews, "/extensions/KHR_audio_emitter/audio/*/bufferView")]),
    known("MSFT_audio_emitter", &[to(BufferViews, "/extensions/MSFT_audio_emitter/clips/*/bufferView")]),
    // Textures
    plain("KHR_texture_transform"),
    known("KHR_texture_basisu", &[to(Images, "/textures/*/extensions/KHR_texture_basisu/source")]),
    known("EXT_texture_webp", &[to(Images, "/textures/*/extensions/EXT_texture_webp/source")]),
    known("EXT_texture_avif", &[to(Images, "/textures/*/extensions/EXT_texture_avif/source")]),
    known("MSFT_texture_dds", &[to(Images, "/textures/*/extensions/MSFT_texture_dds/source")]),
    // Materials: textures by rule, nothing else
    plain("KHR_materials_anisotropy"),
    plain("KHR_materials_clearcoat"),
    plain("KHR_materials_diffuse_transmission"),
    plain("KHR_materials_dispersion"),
    plain("KHR_materials_emissive_strength"),
    plain("KHR_materials_ior"),
    plain("KHR_materials_iridescence"),
    plain("KHR_materials_pbrSpecularGlossiness"),
    plain("KHR_materials_sheen"),
    plain("KHR_materials_specular"),
    plain("KHR_materials_transmission"),
    plain("KHR_materials_unlit"),
    plain("KHR_materials_volume"),
    plain("ADOBE_materials_clearcoat_specular"),
    plain("ADOBE_materials_clearcoat_tint"),
    plain("ADOBE_materials_thin_transparency"),
    plain("MSFT_packing_normalRoughnessMetallic"),
    plain("MSFT_packing_occlusionRoughnessMetallic"),
    // Metadata: packets are numbered within the extension
    plain("KHR_xmp"),
    plain("KHR_xmp_json_ld"),
    // Avatars
    partly("VRMC_vrm", VRM_1, VRM_DRAFTS),
    known("VRMC_vrm_animation", VRM_ANIMATION),
    partly(
        "VRMC_springBone",
        &[
            to(Nodes, "/extensions/VRMC_springBone/colliders/*/node"),
            to(Nodes, "/extensions/VRMC_springBone/springs/*/joints/*/node"),
            to(Nodes, "/extensions/VRMC_springBone/springs/*/center"),
        ],
        VRM_DRAFTS,
    ),
    plain("VRMC_springBone_extended_collider"),
    partly(
        "VRMC_node_constraint",
        &[to(Nodes, "/nodes/*/extensions/VRMC_node_constraint/constraint/*/source")],
        VRM_DRAFTS,
    ),
    partly("VRMC_materials_mtoon", &[], VRM_DRAFTS),
    plain("VRMC_materials_hdr_emissiveMultiplier"),
    // `materialProperties[i]` belongs to `materials[i]`: materials cannot move without it.
    partly("VRM", VRM_0, &[Materials]),
];

/// What the object model can name: everything but storage and the parts of textures.
const SCENE_OBJECTS: &[Collection] =
    &[Animations, Cameras, Materials, Meshes, Nodes, Scenes, Skins, PunctualLights, ImageBasedLights, IesLights];

/// The draft's object form and the bare array that all files of 2018 have.
const DRACO_ANIMATION: &[ReferencePattern] = &[
    to(Accessors, "/extensions/Draco_animation_compression/compressedAnimations/*/input"),
    to(Accessors, "/extensions/Draco_animation_compression/compressedAnimations/*/outputs/*"),
    to(BufferViews, "/extensions/Draco_animation_compression/compressedAnimations/*/bufferView"),
    to(Accessors, "/extensions/Draco_animation_compression/*/input"),
    to(Accessors, "/extensions/Draco_animation_compression/*/outputs/*"),
    to(BufferViews, "/extensions/Draco_animation_compression/*/bufferView"),
];

/// The name as the draft's folder and schema spell it.
const DRACO_ANIMATION_UPPER: &[ReferencePattern] = &[
    to(Accessors, "/extensions/DRACO_animation_compression/compressedAnimations/*/input"),
    to(Accessors, "/extensions/DRACO_animation_compression/compressedAnimations/*/outputs/*"),
    to(BufferViews, "/extensions/DRACO_animation_compression/compressedAnimations/*/bufferView"),
    to(Accessors, "/extensions/DRACO_animation_compression/*/input"),
    to(Accessors, "/extensions/DRACO_animation_compression/*/outputs/*"),
    to(BufferViews, "/extensions/DRACO_animation_compression/*/bufferView"),
];

const VRM_0: &[ReferencePattern] = &[
    to(Nodes, "/extensions/VRM/humanoid/humanBones/*/node"),
    to(Nodes, "/extensions/VRM/firstPerson/firstPersonBone"),
    to(Meshes, "/extensions/VRM/firstPerson/meshAnnotations/*/mesh"),
    to(Meshes, "/extensions/VRM/blendShapeMaster/blendShapeGroups/*/binds/*/mesh"),
    to(Nodes, "/extensions/VRM/secondaryAnimation/boneGroups/*/center"),
    to(Nodes, "/extensions/VRM/secondaryAnimation/boneGroups/*/bones/*"),
    to(Nodes, "/extensions/VRM/secondaryAnimation/colliderGroups/*/node"),
    to(Textures, "/extensions/VRM/materialProperties/*/textureProperties/*"),
    to(Textures, "/extensions/VRM/meta/texture"),
];

const VRM_1: &[ReferencePattern] = &[
    to(Images, "/extensions/VRMC_vrm/meta/thumbnailImage"),
    to(Nodes, "/extensions/VRMC_vrm/humanoid/humanBones/*/node"),
    to(Nodes, "/extensions/VRMC_vrm/firstPerson/meshAnnotations/*/node"),
    to(Nodes, "/extensions/VRMC_vrm/expressions/*/*/morphTargetBinds/*/node"),
    to(Materials, "/extensions/VRMC_vrm/expressions/*/*/materialColorBinds/*/material"),
    to(Materials, "/extensions/VRMC_vrm/expressions/*/*/textureTransformBinds/*/material"),
];

/// What drafts of VRM 1.0 refer to in places that the final version does not have.
const VRM_DRAFTS: &[Collection] = &[Nodes, Meshes, Materials, Textures, Images];

const VRM_ANIMATION: &[ReferencePattern] = &[
    to(Nodes, "/extensions/VRMC_vrm_animation/humanoid/humanBones/*/node"),
    to(Nodes, "/extensions/VRMC_vrm_animation/expressions/*/*/node"),
    to(Nodes, "/extensions/VRMC_vrm_animation/lookAt/node"),
];

/// Core's places and those of every known extension.
pub(super) fn all() -> impl Iterator<Item = &'static ReferencePattern> {
    CORE.iter().chain(EXTENSIONS.iter().flat_map(|extension| extension.places))
}

/// The patterns of texts that are JSON pointers.
pub(super) fn pointer_texts() -> impl Iterator<Item = &'static str> {
    POINTER_TEXTS.iter().copied()
}

/// Whether all the places where an extension refers to objects are known.
pub fn is_known(extension: &str) -> bool {
    EXTENSIONS.iter().any(|known| known.name == extension && known.opaque.is_empty())
}

/// Whether all the places where an extension refers to objects of one collection are known.
pub fn is_known_for(extension: &str, collection: Collection) -> bool {
    EXTENSIONS.iter().any(|known| known.name == extension && !known.opaque.contains(&collection))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_place_of_an_extension_names_it_and_no_place_is_listed_twice() {
        for extension in EXTENSIONS {
            let member = format!("/extensions/{}/", extension.name);
            for place in extension.places {
                assert!(place.pattern.contains(&member), "{} under {}", place.pattern, extension.name);
            }
        }
        let mut patterns: Vec<_> = all().map(|place| place.pattern).collect();
        let count = patterns.len();
        patterns.sort_unstable();
        patterns.dedup();
        assert_eq!(patterns.len(), count);
    }

    #[test]
    fn known_means_completely_listed() {
        assert!(is_known("KHR_draco_mesh_compression"));
        assert!(is_known("KHR_node_visibility"));
        assert!(!is_known("ACME_unheard_of"));
        assert!(!is_known("KHR_interactivity") && !is_known("EXT_structural_metadata"));
        assert!(is_known_for("KHR_interactivity", Accessors));
        assert!(!is_known_for("KHR_interactivity", Nodes));
        assert!(!is_known_for("ACME_unheard_of", Accessors));
    }
}
