//! The codes of Khronos' validator that the rules for pointers use: its own for pointers, and those of core where core's rules cannot see
//! through a pointer.

crate::validate::codes! { Khronos;
    ACCESSOR_ANIMATION_SAMPLER_OUTPUT_NON_NORMALIZED_QUATERNION: Error,
        "A rotation's quaternion is not of unit length.",
        "Divide it by its length (`--fix` does).";
    ANIMATION_CHANNEL_TARGET_NODE_MATRIX: Error,
        "A channel drives translation, rotation or scale of a node that has a matrix.",
        "Split the matrix into translation, rotation and scale.";
    ANIMATION_CHANNEL_TARGET_NODE_WEIGHTS_NO_MORPHS: Error,
        "A channel drives weights of a node without morph targets.",
        "Drop the channel (`--fix` does), or give the mesh its targets.";
    ANIMATION_SAMPLER_OUTPUT_ACCESSOR_INVALID_COUNT: Error,
        "A sampler has not as many values as its keys ask for.",
        "One value for each key; three for CUBICSPLINE; each times the number of morph targets for weights.";
    PATTERN_MISMATCH: Error,
        "A text is not of the form that it must have.",
        "Correct the text.";
    UNDEFINED_PROPERTY: Error,
        "A member that must be there is missing.",
        "Add the member.";
    KHR_ANIMATION_POINTER_ANIMATION_CHANNEL_TARGET_NODE: Error,
        "A channel with a KHR_animation_pointer has a `node`.",
        "Remove `node`.";
    KHR_ANIMATION_POINTER_ANIMATION_CHANNEL_TARGET_PATH: Error,
        "A channel with a KHR_animation_pointer has another `path` than `pointer`.",
        "Set `path` to `pointer`.";
}
