//! Tries any bytes as a picture, encoded in every way.
#![cfg_attr(feature = "libfuzzer", no_main)]

bone_layer_fuzz::target!(bone_layer_fuzz::encode::encode);
