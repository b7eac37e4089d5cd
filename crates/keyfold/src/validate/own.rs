//! The codes of core's rules that Khronos' validator does not have. Those of extensions stand beside the extensions'
//! rules.

super::codes! { Keyfold;
    ANIMATION_CHANNEL_UNREADABLE: Error,
        "A channel cannot be read; the message says what stands in the way.",
        "Validate the file: the rule that is broken has a code of its own.";
    ANIMATION_CHANNEL_WITHOUT_NODE: Info,
        "A channel names no node, so it drives nothing.",
        "Drop the channel (`--fix` does), or name its node.";
    ANIMATION_INTERPOLATION_UNKNOWN: Warning,
        "A sampler names an interpolation that nobody knows; its channels are left alone.",
        "Use LINEAR, STEP or CUBICSPLINE, or list the extension that defines it in extensionsUsed.";
    ANIMATION_PATH_UNKNOWN: Warning,
        "A channel names a path that nobody knows; it is left alone.",
        "Use translation, rotation, scale or weights, or list the extension that defines the path in extensionsUsed.";
    ANIMATION_UNREADABLE: Error,
        "An animation cannot be read at all; the message says what stands in the way.",
        "Validate the file: the rule that is broken has a code of its own.";
    ANIM_CONSTANT_TRACK: Hint,
        "All keys of a track have the same value.",
        "Keep one key: `keyfold pack` does.";
    ANIM_HALF_TURN: Hint,
        "Neighbouring rotation keys are half a turn apart: which way they turn depends on rounding.",
        "Put a key between them.";
    ANIM_QUAT_ANTIPODAL_CUBIC: Hint,
        "Neighbouring CUBICSPLINE rotations are opposite quaternions: the curve between them passes through zero, where it has no direction.",
        "Negate every other key and its tangents, so that neighbours point the same way.";
    ANIM_QUAT_SIGN_JUMP: Hint,
        "The quaternion's sign changes between keys: some players take the long way round there.",
        "Negate keys so that neighbours point the same way: `keyfold pack` does.";
    ANIM_REDUNDANT_KEYS: Hint,
        "Keys lie where the curve between their neighbours passes anyway.",
        "Drop them: `keyfold pack` does, within a bound that you choose.";
    ANIM_SHAREABLE_INPUT: Hint,
        "Two accessors hold the same times.",
        "Share one: `keyfold pack` does.";
    ANIM_WITHOUT_EFFECT: Hint,
        "A track keeps its property at the value that it has without the animation.",
        "Drop it, unless it is there to be blended with other animations.";
    BUFFER_WITHOUT_DATA: Warning,
        "A buffer has no uri, and the file is no GLB: its bytes are nowhere, and what needs them cannot be read.",
        "Give the buffer a uri, or store the file as GLB with its data.";
    MENDED_BOUNDS: Info,
        "Fixed: `min` or `max` of an accessor was computed from its data.",
        "Nothing is left to do.";
    MENDED_CHANNEL: Info,
        "Fixed: a channel that drives nothing was dropped, or an animation without any other.",
        "Nothing is left to do.";
    MENDED_DECLARATION: Info,
        "Fixed: an extension that the file uses was listed in extensionsUsed.",
        "Nothing is left to do.";
    MENDED_ROTATIONS: Info,
        "Fixed: rotations were given unit length.",
        "Nothing is left to do.";
    MENDED_STRIDE: Info,
        "Fixed: byteStride was removed from a buffer view of keys or bind matrices.",
        "Nothing is left to do.";
    MENDED_TIMES: Info,
        "Fixed: keys were sorted by time, those of equal times dropped but for the last, or an animation shifted to begin at zero.",
        "Nothing is left to do.";
}
