// The extensions that say how animations are stored or addressed.

export const QUANTIZATION = "EXT_animation_quantization";
export const DRACO = ["Draco_animation_compression", "DRACO_animation_compression"] as const;
export const MESHOPT = ["KHR_meshopt_compression", "EXT_meshopt_compression"] as const;
export const STREAM = "KEYFOLD_animation_stream";
export const POINTER = "KHR_animation_pointer";
export const ANIMATION2 = "KHR_animation2";
export const PROPERTY_ANIMATION = "EXT_property_animation";
export const SQLERP = "EXT_animation_sqlerp";

/** Those that compress buffer views. */
export const VIEW_CODECS: readonly string[] = [...MESHOPT, STREAM];

/** Those that no loader plays by itself: a file that uses one is packed. */
export const OURS: readonly string[] = [QUANTIZATION, ...DRACO, STREAM, ANIMATION2, PROPERTY_ANIMATION, SQLERP];
