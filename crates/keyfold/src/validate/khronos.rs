//! The codes that Keyfold shares with Khronos' glTF validator: same names, same severities (its ISSUES.md).

super::codes! { Khronos;
    ACCESSOR_ANIMATION_INPUT_NEGATIVE: Error,
        "A key's time is negative; animations begin at zero.",
        "Shift the times of the animation so that the first one is not negative (`--fix` does).";
    ACCESSOR_ANIMATION_INPUT_NON_INCREASING: Error,
        "A key's time does not come after the one before it.",
        "Sort the keys by time and keep one of those that share a time (`--fix` keeps the last).";
    ACCESSOR_ANIMATION_SAMPLER_OUTPUT_NON_NORMALIZED_QUATERNION: Error,
        "A rotation's quaternion is not of unit length.",
        "Divide it by its length (`--fix` does).";
    ACCESSOR_ELEMENT_OUT_OF_MAX_BOUND: Error,
        "Elements of an accessor are greater than its `max` says.",
        "Compute `max` from the data (`--fix` does).";
    ACCESSOR_ELEMENT_OUT_OF_MIN_BOUND: Error,
        "Elements of an accessor are less than its `min` says.",
        "Compute `min` from the data (`--fix` does).";
    ACCESSOR_INVALID_FLOAT: Error,
        "An accessor holds a number that is not finite.",
        "Find out what the exporter divided by zero; no tool can know the value that was meant.";
    ACCESSOR_INVALID_IBM: Error,
        "The last row of an inverse bind matrix is not 0 0 0 1.",
        "Export the skin anew: a bind matrix is an affine transformation.";
    ACCESSOR_JOINTS_INDEX_DUPLICATE: Error,
        "A vertex is bound to one joint twice.",
        "Add up the weights of the joint, and leave the other place zero.";
    ACCESSOR_JOINTS_INDEX_OOB: Error,
        "A vertex is bound to a joint that the skin does not have.",
        "Export the skin anew: no tool can know the joint that was meant.";
    ACCESSOR_JOINTS_USED_ZERO_WEIGHT: Warning,
        "A vertex names a joint, other than the first, with a weight of zero.",
        "Write 0 for joints without weight: it compresses better.";
    ACCESSOR_MATRIX_ALIGNMENT: Error,
        "A matrix accessor does not start at a multiple of four bytes.",
        "Move the data.";
    ACCESSOR_MAX_MISMATCH: Error,
        "The declared `max` is not the greatest value of the data.",
        "Compute `max` from the data, as 32-bit floats (`--fix` does).";
    ACCESSOR_MIN_MISMATCH: Error,
        "The declared `min` is not the least value of the data.",
        "Compute `min` from the data, as 32-bit floats (`--fix` does).";
    ACCESSOR_NORMALIZED_INVALID: Error,
        "Floats and 32-bit integers cannot be normalized.",
        "Remove `normalized`, or store 8- or 16-bit integers.";
    ACCESSOR_OFFSET_ALIGNMENT: Error,
        "An accessor's byteOffset is not a multiple of its component's size.",
        "Move the data.";
    ACCESSOR_SMALL_BYTESTRIDE: Error,
        "The buffer view's byteStride is less than one element of the accessor.",
        "Correct byteStride, or remove it where elements are tightly packed.";
    ACCESSOR_SPARSE_COUNT_OUT_OF_RANGE: Error,
        "A sparse accessor replaces more elements than it has.",
        "Correct `sparse.count`.";
    ACCESSOR_SPARSE_INDEX_OOB: Error,
        "A sparse accessor replaces an element that it does not have.",
        "Correct the sparse indices.";
    ACCESSOR_SPARSE_INDICES_NON_INCREASING: Error,
        "Sparse indices do not increase.",
        "Sort them together with their values, and keep each index once.";
    ACCESSOR_TOO_LONG: Error,
        "An accessor reaches past the end of its buffer view.",
        "Correct `count`, the offsets or the buffer view's length.";
    ACCESSOR_TOTAL_OFFSET_ALIGNMENT: Error,
        "An accessor's data does not start at a multiple of its component's size within the buffer.",
        "Move the data.";
    ACCESSOR_USAGE_OVERRIDE: Error,
        "One accessor serves two purposes: times and values, say.",
        "Give each purpose an accessor of its own; they may share bytes.";
    ACCESSOR_WEIGHTS_NEGATIVE: Error,
        "The weight of a joint is negative.",
        "Set it to zero, and divide the others by their sum.";
    ACCESSOR_WEIGHTS_NON_NORMALIZED: Error,
        "The weights of a vertex do not add up to one.",
        "Divide them by their sum.";
    ANIMATION_CHANNEL_TARGET_NODE_MATRIX: Error,
        "A channel drives translation, rotation or scale of a node that has a matrix.",
        "Split the matrix into translation, rotation and scale.";
    ANIMATION_CHANNEL_TARGET_NODE_SKIN: Warning,
        "A channel moves a node whose mesh is skinned: joints alone move such a mesh.",
        "Drop the channel, or animate the joints' common root.";
    ANIMATION_CHANNEL_TARGET_NODE_WEIGHTS_NO_MORPHS: Error,
        "A channel drives weights of a node without morph targets.",
        "Drop the channel (`--fix` does), or give the mesh its targets.";
    ANIMATION_DUPLICATE_TARGETS: Error,
        "Two channels of one animation drive the same property.",
        "Keep one of them.";
    ANIMATION_SAMPLER_ACCESSOR_WITH_BYTESTRIDE: Error,
        "The buffer view of keys has a byteStride; keys are tightly packed.",
        "Remove byteStride, and repack the data where it says something else than tightly packed (`--fix` does).";
    ANIMATION_SAMPLER_INPUT_ACCESSOR_INVALID_FORMAT: Error,
        "Times are not SCALAR floats.",
        "Store the times as 32-bit floats.";
    ANIMATION_SAMPLER_INPUT_ACCESSOR_TOO_FEW_ELEMENTS: Error,
        "CUBICSPLINE has fewer than two keys.",
        "Use STEP or LINEAR for a single key.";
    ANIMATION_SAMPLER_INPUT_ACCESSOR_WITHOUT_BOUNDS: Error,
        "An accessor of times has no `min` or no `max`.",
        "Compute both from the data (`--fix` does).";
    ANIMATION_SAMPLER_OUTPUT_ACCESSOR_INVALID_COUNT: Error,
        "A sampler has not as many values as its keys ask for.",
        "One value for each key; three for CUBICSPLINE; each times the number of morph targets for weights.";
    ANIMATION_SAMPLER_OUTPUT_ACCESSOR_INVALID_FORMAT: Error,
        "Values are stored in a format that their property does not allow.",
        "translation and scale: VEC3 floats; rotation: VEC4, weights: SCALAR, both floats or normalized 8- or 16-bit integers.";
    ARRAY_LENGTH_NOT_IN_LIST: Error,
        "An array has another number of elements than it must have.",
        "Correct the array.";
    ARRAY_TYPE_MISMATCH: Error,
        "An element of an array is of the wrong type.",
        "Correct the element.";
    ASSET_MIN_VERSION_GREATER_THAN_VERSION: Error,
        "`minVersion` is greater than `version`.",
        "Correct one of them.";
    BUFFER_BYTE_LENGTH_MISMATCH: Error,
        "A buffer has fewer bytes than its byteLength says.",
        "The file was cut off, or byteLength is wrong: fetch or export it anew.";
    BUFFER_DATA_URI_MIME_TYPE_INVALID: Error,
        "A buffer's data URI has a media type that is none for buffers.",
        "Write `data:application/octet-stream;base64,`.";
    BUFFER_GLB_CHUNK_TOO_BIG: Warning,
        "The BIN chunk is more than three bytes longer than the buffer.",
        "Correct byteLength, or cut the chunk.";
    BUFFER_MISSING_GLB_DATA: Error,
        "A buffer has no uri, and the file has no BIN chunk that it could stand for.",
        "Give the buffer a uri, or store the file as GLB with its data.";
    BUFFER_VIEW_INVALID_BYTE_STRIDE: Error,
        "A buffer view has a byteStride though it holds no vertices.",
        "Remove byteStride.";
    BUFFER_VIEW_TARGET_OVERRIDE: Error,
        "One buffer view holds data of two kinds, or its `target` says another.",
        "Give each kind of data a buffer view of its own; keys have no `target`.";
    BUFFER_VIEW_TOO_BIG_BYTE_STRIDE: Error,
        "A buffer view's byteStride is greater than its byteLength.",
        "Correct byteStride.";
    BUFFER_VIEW_TOO_LONG: Error,
        "A buffer view reaches past the end of its buffer.",
        "Correct its offset and length, or the buffer's byteLength.";
    CAMERA_XMAG_YMAG_NEGATIVE: Warning,
        "`xmag` or `ymag` is negative.",
        "Make it positive.";
    CAMERA_XMAG_YMAG_ZERO: Error,
        "`xmag` or `ymag` is zero.",
        "Make it positive.";
    CAMERA_YFOV_GEQUAL_PI: Warning,
        "`yfov` is pi or more.",
        "Angles are in radians.";
    CAMERA_ZFAR_LEQUAL_ZNEAR: Error,
        "`zfar` is not greater than `znear`.",
        "Swap them, or correct one.";
    DATA_URI_GLB: Warning,
        "A GLB holds a data URI.",
        "Store the data in the BIN chunk.";
    DUPLICATE_ELEMENTS: Error,
        "An array holds the same element twice.",
        "Remove one of them.";
    EMPTY_ENTITY: Error,
        "An array or an object that may not be empty is empty.",
        "Remove it, or fill it.";
    GLB_CHUNK_LENGTH_UNALIGNED: Error,
        "A chunk's length is not a multiple of four.",
        "Pad the JSON with spaces, binary chunks with zeros.";
    GLB_CHUNK_TOO_BIG: Error,
        "A chunk reaches past the length that the GLB's header announces.",
        "Correct the lengths.";
    GLB_DUPLICATE_CHUNK: Error,
        "There are two chunks of a kind of which there may be one.",
        "Remove one.";
    GLB_EMPTY_BIN_CHUNK: Info,
        "The BIN chunk is empty.",
        "Leave it out.";
    GLB_EMPTY_CHUNK: Error,
        "The JSON chunk is empty.",
        "Export the file anew.";
    GLB_EXTRA_DATA: Warning,
        "There is more in the file than the GLB's header announces.",
        "Cut it off.";
    GLB_INVALID_VERSION: Error,
        "The GLB is not of version 2.",
        "Convert the file to glTF 2.0 with a tool that reads the old version.";
    GLB_LENGTH_MISMATCH: Error,
        "The GLB is not as long as its header announces.",
        "The file was cut off, or the header is wrong: fetch or export it anew.";
    GLB_LENGTH_TOO_SMALL: Error,
        "The GLB's header announces a length that not even the header fits in.",
        "Correct the length.";
    GLB_UNEXPECTED_BIN_CHUNK: Error,
        "The BIN chunk is not the second chunk.",
        "Put it behind the JSON.";
    GLB_UNEXPECTED_END_OF_CHUNK_DATA: Error,
        "The file ends inside a chunk.",
        "The file was cut off: fetch or export it anew.";
    GLB_UNEXPECTED_END_OF_CHUNK_HEADER: Error,
        "The file ends inside a chunk's header.",
        "The file was cut off: fetch or export it anew.";
    GLB_UNEXPECTED_END_OF_HEADER: Error,
        "The file ends inside the GLB's header.",
        "The file was cut off: fetch or export it anew.";
    GLB_UNEXPECTED_FIRST_CHUNK: Error,
        "The first chunk of the GLB is not the JSON.",
        "Put the JSON first.";
    GLB_UNKNOWN_CHUNK_TYPE: Warning,
        "The GLB holds a chunk of a kind that nobody knows.",
        "Nothing is wrong if a program of yours put it there.";
    INVALID_EXTENSION_NAME_FORMAT: Warning,
        "An extension's name should be a prefix in capitals, an underscore and a name.",
        "Spell the name as the extension's specification does.";
    INVALID_GL_VALUE: Error,
        "A bound is not a value of the accessor's component type.",
        "Compute the bounds from the data, as they are stored (`--fix` does).";
    INVALID_IBM_ACCESSOR_COUNT: Error,
        "A skin has fewer bind matrices than joints.",
        "Export the skin anew.";
    INVALID_INDEX: Error,
        "An index is no whole number, or negative.",
        "Correct the index.";
    INVALID_JSON: Error,
        "The file begins with a byte-order mark, which JSON may not.",
        "Save it as UTF-8 without one.";
    INVALID_URI: Error,
        "A buffer's URI cannot be understood.",
        "Correct the URI.";
    IO_ERROR: Error,
        "What a buffer's URI names cannot be read.",
        "Put the file where the URI says, relative to the document.";
    KHR_ANIMATION_POINTER_ANIMATION_CHANNEL_TARGET_NODE: Error,
        "A channel with a KHR_animation_pointer has a `node`.",
        "Remove `node`.";
    KHR_ANIMATION_POINTER_ANIMATION_CHANNEL_TARGET_PATH: Error,
        "A channel with a KHR_animation_pointer has another `path` than `pointer`.",
        "Set `path` to `pointer`.";
    MESH_INVALID_WEIGHTS_COUNT: Error,
        "A mesh has not as many weights as morph targets.",
        "One weight for each target.";
    NODE_LOOP: Error,
        "A node is its own ancestor.",
        "Nodes form trees: correct `children`.";
    NODE_MATRIX_TRS: Error,
        "A node has both a matrix and translation, rotation or scale.",
        "Keep one of the two; animated nodes have no matrix.";
    NODE_PARENT_OVERRIDE: Error,
        "A node has two parents.",
        "Nodes form trees: correct `children`.";
    NODE_SKIN_WITH_NON_SKINNED_MESH: Error,
        "A node has a skin, and its mesh no joints.",
        "Remove the skin, or give the mesh JOINTS_0 and WEIGHTS_0.";
    NODE_WEIGHTS_INVALID: Error,
        "A node has not as many weights as its mesh has morph targets.",
        "One weight for each target.";
    NON_RELATIVE_URI: Warning,
        "A buffer's URI is not relative to the document.",
        "Put the file beside the document.";
    ONE_OF_MISMATCH: Error,
        "A camera is both perspective and orthographic.",
        "Keep the one that `type` names.";
    PATTERN_MISMATCH: Error,
        "A text is not of the form that it must have.",
        "Correct the text.";
    ROTATION_NON_UNIT: Error,
        "A node's rotation is not of unit length.",
        "Divide it by its length.";
    SCENE_NON_ROOT_NODE: Error,
        "A scene lists a node that has a parent.",
        "List its topmost ancestor.";
    SKIN_IBM_ACCESSOR_WITH_BYTESTRIDE: Error,
        "The buffer view of bind matrices has a byteStride.",
        "Remove it (`--fix` does).";
    SKIN_IBM_INVALID_FORMAT: Error,
        "Bind matrices are not MAT4 floats.",
        "Export the skin anew.";
    SKIN_NO_COMMON_ROOT: Error,
        "The joints of a skin have no common root.",
        "Put them below one node.";
    SKIN_SKELETON_INVALID: Error,
        "A skin's `skeleton` is not above all of its joints.",
        "Remove `skeleton`, or name a common root.";
    TYPE_MISMATCH: Error,
        "A member is of the wrong type.",
        "Correct the member.";
    UNDECLARED_EXTENSION: Error,
        "An object carries an extension that extensionsUsed does not list.",
        "List the extension in extensionsUsed (`--fix` does), or remove its object.";
    UNDEFINED_PROPERTY: Error,
        "A member that must be there is missing.",
        "Add the member.";
    UNEXPECTED_EXTENSION_OBJECT: Error,
        "An extension's object stands where the extension does not define one.",
        "Move it to the object that the extension extends.";
    UNEXPECTED_PROPERTY: Warning,
        "An object has a member that core does not define.",
        "Put data of your own into `extras`.";
    UNKNOWN_ASSET_MAJOR_VERSION: Error,
        "The file is not glTF 2.",
        "Convert it with a tool that reads the other version.";
    UNKNOWN_ASSET_MINOR_VERSION: Warning,
        "The file is of a later glTF 2 than is known.",
        "Nothing is wrong; not everything could be checked.";
    UNRESOLVED_REFERENCE: Error,
        "An index leads to an object that does not exist.",
        "Correct the index.";
    UNSATISFIED_DEPENDENCY: Error,
        "A member means nothing without another that is missing.",
        "Add the other, or remove this one.";
    UNSUPPORTED_EXTENSION: Info,
        "The file uses an extension that Keyfold has no rules for: what it changes is not checked.",
        "Nothing is wrong; check such files with the extension's own tools too.";
    UNUSED_EXTENSION_REQUIRED: Error,
        "extensionsRequired lists an extension that extensionsUsed does not.",
        "List it in extensionsUsed too (`--fix` does), or in neither.";
    UNUSED_OBJECT: Info,
        "Nothing refers to an object.",
        "Remove it, unless an application looks for it.";
    URI_GLB: Info,
        "A GLB takes a buffer from a file beside it.",
        "Store the data in the BIN chunk.";
    VALUE_MULTIPLE_OF: Error,
        "byteStride is not a multiple of four.",
        "Correct byteStride, and the data.";
    VALUE_NOT_IN_LIST: Warning,
        "A value is none of those that core defines; readers that do not know it leave the object alone.",
        "Check the spelling, and that the extension that defines the value is listed in extensionsUsed.";
    VALUE_NOT_IN_RANGE: Error,
        "A number is out of the range that it must be in.",
        "Correct the number.";
}
