//! Tries any bytes as a BVH recording.
#![cfg_attr(feature = "libfuzzer", no_main)]

bone_layer_fuzz::target!(bone_layer_fuzz::motion::recording);
