//! Tries any bytes as a rig and its drawing, one behind the other.
#![cfg_attr(feature = "libfuzzer", no_main)]

bone_layer_fuzz::target!(bone_layer_fuzz::both);
