//! Rotations in another interpolation.

use keyfold::{
    Bound, Document, Interpolation,
    rotation::{CoreSampler, RotationOptions, convert_rotations},
};

/// A document's rotations in every interpolation that has something between its keys.
pub fn rotation(data: &[u8]) {
    let options = crate::options();
    let Ok(document) = Document::from_bytes(data, None, &options) else { return };
    for interpolation in [Interpolation::Linear, Interpolation::CubicSpline, Interpolation::CubicSlerp] {
        let wanted =
            RotationOptions { interpolation, only: None, max_error: Bound::default(), core: CoreSampler::None };
        let Ok(changed) = convert_rotations(&document, &wanted).map(|changed| changed.document) else { continue };
        crate::reopened(&document, &changed).iter().for_each(crate::play);
    }
}
