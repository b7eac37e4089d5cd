//! EXT_animation_quantization: read, validated, quantized anew in every layout, undone.

use keyfold::{
    Bound, Document, OpenOptions,
    quantization::{LayoutOptions, Options, RotationForm, VectorForm, quantize},
};

/// A document whose animations are quantized.
pub fn quantization(data: &[u8]) {
    let Ok(document) = Document::from_bytes(data, None, &OpenOptions::default()) else { return };
    crate::play(&document);
    keyfold::validate::validate(&document);
    let layouts = [(RotationForm::Vec4, VectorForm::Axes), (RotationForm::Scalar, VectorForm::Vec3)];
    for (rotation, vector) in layouts {
        let layouts = LayoutOptions {
            rotation: Some(rotation),
            translation: Some(vector),
            scale: Some(vector),
            ..LayoutOptions::default()
        };
        let options = Options { layouts, ..Options::default() };
        if let Ok(quantized) = quantize(&document, Bound::default(), &options).map(|changed| changed.document) {
            crate::play(&quantized);
        }
    }
}
