//! Tries any bytes as keypoints, a frame or a video of them.
#![cfg_attr(feature = "libfuzzer", no_main)]

bone_layer_fuzz::target!(bone_layer_fuzz::motion::keypoints);
