//! Vectors and rotations in space, as far as recordings need them. Column vectors, right-handed.

use bone_core::Angle;

pub(crate) type Vec3 = [f64; 3];

/// The rows of a matrix.
pub(crate) type Mat3 = [Vec3; 3];

pub(crate) const IDENTITY: Mat3 = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];

pub(crate) fn add(a: Vec3, b: Vec3) -> Vec3 {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

pub(crate) fn sub(a: Vec3, b: Vec3) -> Vec3 {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

pub(crate) fn scaled(a: Vec3, by: f64) -> Vec3 {
    [a[0] * by, a[1] * by, a[2] * by]
}

pub(crate) fn dot(a: Vec3, b: Vec3) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

pub(crate) fn cross(a: Vec3, b: Vec3) -> Vec3 {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

pub(crate) fn length(a: Vec3) -> f64 {
    dot(a, a).sqrt()
}

/// The unit vector of a vector; `None` if it has no length.
pub(crate) fn direction(a: Vec3) -> Option<Vec3> {
    let length = length(a);
    (length > 1e-12 && length.is_finite()).then(|| scaled(a, 1.0 / length))
}

pub(crate) fn apply(m: &Mat3, v: Vec3) -> Vec3 {
    [dot(m[0], v), dot(m[1], v), dot(m[2], v)]
}

/// The transposed matrix times `v`: of a rotation its inverse.
pub(crate) fn apply_transposed(m: &Mat3, v: Vec3) -> Vec3 {
    add(add(scaled(m[0], v[0]), scaled(m[1], v[1])), scaled(m[2], v[2]))
}

/// `m` times the rotation by `angle` about an axis (0, 1, 2), counter-clockwise seen from the tip of the
/// axis.
pub(crate) fn turned(m: &Mat3, axis: usize, angle: Angle) -> Mat3 {
    let (sin, cos) = angle.sin_cos();
    let part = |[x, y, z]: Vec3| match axis {
        0 => [x, y * cos + z * sin, z * cos - y * sin],
        1 => [x * cos - z * sin, y, z * cos + x * sin],
        _ => [x * cos + y * sin, y * cos - x * sin, z],
    };
    m.map(part)
}
