//! The codes of the rules for pointers that Khronos' validator does not have, or not yet: the names with `KHR_ANIMATION_POINTER` are
//! proposed there.

crate::validate::codes! { Keyfold;
    ANIMATION2_COMPONENT_TYPE: Error,
        "Values of a KHR_animation2 channel are stored as integers that the draft's table does not list for their property.",
        "Store them as floats, or convert to KHR_animation_pointer (`keyfold convert --targets pointer`), which takes them.";
    ANIMATION2_NODE_IGNORED: Warning,
        "A KHR_animation2 channel has a `node`, which means nothing there; readers of core might take it at its word.",
        "Remove `node`, or convert to KHR_animation_pointer (`keyfold convert --targets pointer`).";
    KHR_ANIMATION_POINTER_CANNOT_VALIDATE_EXTRAS: Hint,
        "A pointer leads into `extras`, whose meaning only the application knows.",
        "Nothing is wrong; check the values with the application.";
    KHR_ANIMATION_POINTER_COMPONENT_TYPE_MISMATCH: Error,
        "The values are stored as numbers that the property does not take: bools are unsigned bytes, ints are integers that are not normalized.",
        "Store the values in such a format.";
    KHR_ANIMATION_POINTER_VECTOR_SIZE_MISMATCH: Error,
        "The values have another number of components than the property.",
        "Store them in an accessor of the property's type.";
    POINTER_DUPLICATE: Error,
        "Two channels of one animation drive the same property: by the same pointer, as an array and one of its elements, or by a pointer and by node and path.",
        "Keep one of them.";
    POINTER_INT_NOT_STEP: Error,
        "A bool or int is animated with another interpolation than STEP.",
        "Set `interpolation` to STEP.";
    POINTER_LEGACY_FORM: Warning,
        "The channel is addressed in a form that KHR_animation_pointer replaced; few readers know it.",
        "Convert it (`keyfold convert --targets pointer`).";
    POINTER_READ_ONLY: Error,
        "The pointer leads to a property that cannot be animated.",
        "Drop the channel.";
    POINTER_UNKNOWN_EXTENSION: Info,
        "The pointer leads into an extension whose properties Keyfold does not know.",
        "Nothing is wrong; check such files with the extension's own tools too.";
    POINTER_UNRESOLVED: Error,
        "The pointer leads to no property: there is no such object, the object model has no such property, or it is undefined here.",
        "Correct the pointer, or write the property with the value that it has at rest.";
    POINTER_VALUE_OUT_OF_RANGE: Error,
        "The value of a key is one that the property may not have.",
        "Clamp the values.";
    POINTER_VALUE_OVERSHOOT: Warning,
        "Between its keys the spline leaves the values that the property may have.",
        "Use flatter tangents or more keys.";
    POINTER_VALUE_UNUSUAL: Warning,
        "The value of a key is allowed, and likely not what was meant.",
        "Check the values: angles are in radians, magnifications are positive.";
}
