//! Tries any bytes as a glTF file.
#![cfg_attr(feature = "libfuzzer", no_main)]

bone_layer_fuzz::target!(bone_layer_fuzz::motion::gltf);
