// The vectors of the object model: patterns of their pointers, with what they are where the document does not say. Written by `cargo xtask docs` from
// the library's registry.
const vectors: readonly (readonly [pattern: string, initial: readonly number[]])[] = [
  ["^/materials/(0|[1-9][0-9]*)/emissiveFactor$", [0.0, 0.0, 0.0]],
  ["^/materials/(0|[1-9][0-9]*)/pbrMetallicRoughness/baseColorFactor$", [1.0, 1.0, 1.0, 1.0]],
  ["^/materials/(0|[1-9][0-9]*)(/(?!extras(/|$))[^/]*)*/[^/]*Texture/extensions/KHR_texture_transform/offset$", [0.0, 0.0]],
  ["^/materials/(0|[1-9][0-9]*)(/(?!extras(/|$))[^/]*)*/[^/]*Texture/extensions/KHR_texture_transform/scale$", [1.0, 1.0]],
  ["^/nodes/(0|[1-9][0-9]*)/extensions/EXT_lights_ies/color$", [1.0, 1.0, 1.0]],
  ["^/extensions/KHR_lights_punctual/lights/(0|[1-9][0-9]*)/color$", [1.0, 1.0, 1.0]],
  ["^/materials/(0|[1-9][0-9]*)/extensions/KHR_materials_sheen/sheenColorFactor$", [0.0, 0.0, 0.0]],
  ["^/materials/(0|[1-9][0-9]*)/extensions/KHR_materials_specular/specularColorFactor$", [1.0, 1.0, 1.0]],
  ["^/materials/(0|[1-9][0-9]*)/extensions/KHR_materials_volume/attenuationColor$", [1.0, 1.0, 1.0]],
  ["^/materials/(0|[1-9][0-9]*)/extensions/ADOBE_materials_clearcoat_tint/clearcoatTintFactor$", [1.0, 1.0, 1.0]],
  ["^/materials/(0|[1-9][0-9]*)/extensions/KHR_materials_diffuse_transmission/diffuseTransmissionColorFactor$", [1.0, 1.0, 1.0]],
  ["^/extensions/KHR_lights/lights/(0|[1-9][0-9]*)/color$", [1.0, 1.0, 1.0]],
  ["^/materials/(0|[1-9][0-9]*)/extensions/KHR_materials_pbrSpecularGlossiness/diffuseFactor$", [1.0, 1.0, 1.0, 1.0]],
  ["^/materials/(0|[1-9][0-9]*)/extensions/KHR_materials_pbrSpecularGlossiness/specularFactor$", [1.0, 1.0, 1.0]],
];
export default vectors;
