//! One function per decoder, fed with hostile bytes.
