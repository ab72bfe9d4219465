//! The depth of a vertex within the drawing: its distance to the nearest border. It is an estimate along the
//! mesh, exact where the nearest border vertex is visible. It is used only to smooth weights.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::mesh::Mesh;

/// The depth of every vertex: Dijkstra's algorithm, in which each vertex passes on the border vertex that it
/// was reached from.
pub(crate) fn depths(mesh: &Mesh) -> Vec<f64> {
    let count = mesh.points.len();
    let neighbours = Neighbours::new(mesh);
    let mut depths = vec![f64::INFINITY; count];
    // Distances are never negative, so their bits sort as they do; equal ones are sorted by vertex.
    let mut queue: BinaryHeap<Reverse<(u64, u32, u32)>> = BinaryHeap::new();
    for &v in mesh.border.iter().flatten() {
        depths[v as usize] = 0.0;
        queue.push(Reverse((0, v, v)));
    }
    while let Some(Reverse((bits, vertex, source))) = queue.pop() {
        if f64::from_bits(bits) > depths[vertex as usize] {
            continue;
        }
        for &next in neighbours.of(vertex) {
            let depth = (mesh.points[next as usize] - mesh.points[source as usize]).hypot();
            if depth < depths[next as usize] {
                depths[next as usize] = depth;
                queue.push(Reverse((depth.to_bits(), next, source)));
            }
        }
    }
    depths
}

/// The vertices that share a triangle side with each vertex.
struct Neighbours {
    starts: Vec<u32>,
    list: Vec<u32>,
}

impl Neighbours {
    fn new(mesh: &Mesh) -> Self {
        let mut starts = vec![0_u32; mesh.points.len() + 1];
        for &v in mesh.triangles.iter().flatten() {
            starts[v as usize + 1] += 2;
        }
        for i in 1..starts.len() {
            starts[i] += starts[i - 1];
        }
        let mut list = vec![0; starts[mesh.points.len()] as usize];
        let mut filled = starts.clone();
        for &[a, b, c] in &mesh.triangles {
            for (v, others) in [(a, [b, c]), (b, [c, a]), (c, [a, b])] {
                for other in others {
                    list[filled[v as usize] as usize] = other;
                    filled[v as usize] += 1;
                }
            }
        }
        Self { starts, list }
    }

    fn of(&self, vertex: u32) -> &[u32] {
        let v = vertex as usize;
        &self.list[self.starts[v] as usize..self.starts[v + 1] as usize]
    }
}
