//! The tree of nodes: their parents, their transforms at rest, and which of them are joints.

use crate::ImportError;
use crate::json::{Json, Object};
use crate::space::{Mat3, Vec3, add, apply};

use super::accessors::{entry, list};
use super::curve::unit;

/// The largest number of nodes.
const MAX_NODES: usize = 100_000;
/// The largest number of joints.
const MAX_JOINTS: usize = 4096;

/// The transform of a node within its parent.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum NodeTransform {
    /// Position, rotation (x, y, z, w) and scale.
    Parts { position: Vec3, rotation: [f64; 4], scale: Vec3 },
    /// Rows, and the position.
    Matrix(Mat3, Vec3),
}

impl NodeTransform {
    pub(super) fn matrix(&self) -> (Mat3, Vec3) {
        match self {
            Self::Matrix(rows, position) => (*rows, *position),
            Self::Parts { position, rotation: [x, y, z, w], scale } => {
                let rows = [
                    [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - z * w), 2.0 * (x * z + y * w)],
                    [2.0 * (x * y + z * w), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - x * w)],
                    [2.0 * (x * z - y * w), 2.0 * (y * z + x * w), 1.0 - 2.0 * (x * x + y * y)],
                ];
                (rows.map(|row: Vec3| std::array::from_fn(|n| row[n] * scale[n])), *position)
            }
        }
    }
}

/// A node.
pub(super) struct GltfNode {
    pub(super) name: String,
    pub(super) parent: Option<usize>,
    pub(super) local: NodeTransform,
    /// Whether it has a mesh, a camera or the like and is no joint by itself.
    carries: bool,
}

/// The nodes of a file.
pub(super) struct Nodes {
    pub(super) nodes: Vec<GltfNode>,
    /// Parents first.
    pub(super) order: Vec<usize>,
}

impl Nodes {
    pub(super) fn read(document: &Object<'_>) -> Result<Self, ImportError> {
        let entries = list(document, "nodes");
        fail_if!(entries.len() > MAX_NODES, entries[0].start(), "more than {MAX_NODES} nodes");
        let mut nodes = Vec::with_capacity(entries.len());
        let mut children: Vec<Vec<Json<'_>>> = Vec::with_capacity(entries.len());
        for (at, json) in entries.iter().enumerate() {
            let node = json.object()?;
            let name = node.get("name").and_then(Json::text_value).map(|name| name.trim().to_owned());
            nodes.push(GltfNode {
                name: name.filter(|name| !name.is_empty()).unwrap_or_else(|| format!("node_{at}")),
                parent: None,
                local: local(&node)?,
                carries: ["mesh", "camera"].iter().any(|what| node.has(what)),
            });
            children.push(list(&node, "children"));
        }
        for (parent, children) in children.iter().enumerate() {
            for &child in children {
                entry(&entries, child, "node")?;
                let at = child.index()?;
                if nodes[at].parent.replace(parent).is_some() {
                    fail!(child.span(), "node {at} has two parents");
                }
            }
        }
        let mut order: Vec<usize> = (0..nodes.len()).filter(|&at| nodes[at].parent.is_none()).collect();
        let mut next = 0;
        while next < order.len() {
            for child in &children[order[next]] {
                order.push(child.index()?);
            }
            next += 1;
        }
        if order.len() < nodes.len() {
            let mut there = vec![false; nodes.len()];
            order.iter().for_each(|&at| there[at] = true);
            let lost = there.iter().position(|there| !there).unwrap_or_default();
            fail!(entries[lost].start(), "node {lost} is below itself");
        }
        Ok(Self { nodes, order })
    }

    fn above(&self, node: usize) -> impl Iterator<Item = usize> {
        std::iter::successors(Some(node), |&at| self.nodes[at].parent)
    }

    /// The joints, parents first, and for each the index of its parent among them. `moved` are the animated
    /// nodes, `skins` the joints of each skin, `named` those that a file names as parts of a body.
    pub(super) fn joints(
        &self,
        moved: &[bool],
        skins: &[Vec<usize>],
        named: &[usize],
    ) -> Result<(Vec<usize>, Vec<Option<usize>>), ImportError> {
        let count = |skin: &[usize]| skin.iter().filter(|&&joint| moved[joint]).count();
        let mut kept = vec![false; self.nodes.len()];
        let best = skins.iter().map(|skin| count(skin)).max().unwrap_or_default();
        match skins.iter().find(|skin| count(skin) == best && best > 0) {
            Some(main) => {
                main.iter().for_each(|&joint| kept[joint] = true);
                // Clothes have skins of their own with joints of the same body.
                for skin in skins.iter().filter(|skin| skin.iter().any(|joint| main.contains(joint))) {
                    skin.iter().for_each(|&joint| kept[joint] = true);
                }
            }
            None => {
                for &at in &self.order {
                    let below = self.nodes[at].parent.is_some_and(|parent| kept[parent]);
                    kept[at] = moved[at] || (below && !self.nodes[at].carries);
                }
            }
        }
        named.iter().for_each(|&joint| kept[joint] = true);
        // One joint is above all others, if the tree has one.
        let roots: Vec<usize> = self
            .order
            .iter()
            .copied()
            .filter(|&at| kept[at] && self.above(at).skip(1).all(|above| !kept[above]))
            .collect();
        if let [first, rest @ ..] = &roots[..]
            && !rest.is_empty()
        {
            let shared =
                self.above(*first).find(|&at| rest.iter().all(|&root| self.above(root).any(|up| up == at)));
            shared.into_iter().for_each(|at| kept[at] = true);
        }
        let joints: Vec<usize> = self.order.iter().copied().filter(|&at| kept[at]).collect();
        fail_if!(joints.len() > MAX_JOINTS, "more than {MAX_JOINTS} joints");
        let mut number = vec![None; self.nodes.len()];
        joints.iter().enumerate().for_each(|(at, &node)| number[node] = Some(at));
        let parent = |&joint: &usize| self.above(joint).skip(1).find_map(|above| number[above]);
        let parents = joints.iter().map(parent).collect();
        Ok((joints, parents))
    }

    /// The transforms of all nodes in space, in the order of the nodes.
    pub(super) fn place(&self, local: impl Fn(usize) -> (Mat3, Vec3), world: &mut Vec<(Mat3, Vec3)>) {
        world.resize(self.nodes.len(), ([[0.0; 3]; 3], [0.0; 3]));
        for &at in &self.order {
            let (rows, position) = local(at);
            world[at] = match self.nodes[at].parent {
                None => (rows, position),
                Some(parent) => {
                    let (above, from) = world[parent];
                    let product = above
                        .map(|row| std::array::from_fn(|n| (0..3).map(|k| row[k] * rows[k][n]).sum::<f64>()));
                    (product, add(from, apply(&above, position)))
                }
            };
        }
    }
}

/// The transform of a node.
fn local(node: &Object<'_>) -> Result<NodeTransform, ImportError> {
    let numbers = |name: &str, count: usize| -> Result<Option<Vec<f64>>, ImportError> {
        let Some(json) = node.get(name) else { return Ok(None) };
        let numbers = json.numbers()?;
        if numbers.len() != count {
            fail!(json.start(), "\"{name}\" has {count} numbers, and {} are here", numbers.len());
        }
        Ok(Some(numbers))
    };
    if let Some(m) = numbers("matrix", 16)? {
        // Columns in the file.
        let rows = std::array::from_fn(|row| std::array::from_fn(|column| m[4 * column + row]));
        return Ok(NodeTransform::Matrix(rows, [m[12], m[13], m[14]]));
    }
    let three = |found: Option<Vec<f64>>, default: Vec3| found.map_or(default, |n| [n[0], n[1], n[2]]);
    let rotation = numbers("rotation", 4)?.map_or([0.0, 0.0, 0.0, 1.0], |n| unit([n[0], n[1], n[2], n[3]]));
    Ok(NodeTransform::Parts {
        position: three(numbers("translation", 3)?, [0.0; 3]),
        rotation,
        scale: three(numbers("scale", 3)?, [1.0; 3]),
    })
}
