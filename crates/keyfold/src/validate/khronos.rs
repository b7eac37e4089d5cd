//! The codes that Keyfold shares with Khronos' glTF validator: same names, same severities (its ISSUES.md).

super::codes! { Khronos;
    BUFFER_MISSING_GLB_DATA: Error,
        "A buffer has no uri, and the file has no BIN chunk that it could stand for.",
        "Give the buffer a uri, or store the file as GLB with its data.";
    UNDECLARED_EXTENSION: Error,
        "An object carries an extension that extensionsUsed does not list.",
        "List the extension in extensionsUsed, or remove its object.";
    UNEXPECTED_EXTENSION_OBJECT: Error,
        "An extension's object stands where the extension does not define one.",
        "Move it to the object that the extension extends.";
    UNUSED_EXTENSION_REQUIRED: Error,
        "extensionsRequired lists an extension that extensionsUsed does not.",
        "List it in extensionsUsed too, or in neither.";
    UNSUPPORTED_EXTENSION: Info,
        "The file uses an extension that Keyfold has no rules for: what it changes is not checked.",
        "Nothing is wrong; check such files with the extension's own tools too.";
    INVALID_EXTENSION_NAME_FORMAT: Warning,
        "An extension's name should be a prefix in capitals, an underscore and a name.",
        "Spell the name as the extension's specification does.";
}
