//! The codes of core's rules that Khronos' validator does not have. Those of extensions stand beside the extensions' rules.

super::codes! { Keyfold;
}
