//! Tries any bytes as edits of a rig.
#![cfg_attr(feature = "libfuzzer", no_main)]

bone_layer_fuzz::target!(bone_layer_fuzz::edits::edits);
