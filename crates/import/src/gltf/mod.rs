//! glTF 2.0, as text (`.gltf`) and as one file (`.glb`, `.vrm`, `.vrma`): the joints of a skin, moved by one of
//! the animations of the file. Bones that a VRM file names as parts of a body have these names.
//!
//! Positions, rotations and scales are sampled at an even rate, since keys may lie anywhere. Meshes, materials
//! and morph targets are not read.

mod accessors;
mod container;
mod curve;
mod nodes;
#[cfg(test)]
mod tests;

use crate::ImportError;
use crate::error::Result;
use crate::json::{Json, JsonKind, Object};
use crate::space::{Mat3, Vec3, add, apply, direction, scaled};
use crate::space_motion::{FigureKind, SpaceMotion, missing_ends};

use accessors::{Accessors, External, entry, list};
use container::Container;
use curve::{GltfCurve, Interpolation};
use nodes::{NodeTransform, Nodes};

/// The largest number of positions of nodes in all frames.
const MAX_POSITIONS: usize = 20_000_000;
/// The rate of keys that have none, frames a second.
const USUAL_RATE: f64 = 30.0;

/// What to read of a file.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct GltfOptions {
    /// The name of the animation, or its number from 1 on; the first one if this is `None`.
    pub animation: Option<String>,
    /// Frames a second; that of the keys if this is `None`.
    pub rate: Option<f64>,
}

/// Reads the joints of one animation. `external` returns the bytes of a file that a buffer names.
///
/// # Errors
/// At the first place that is not valid. The messages about a binary file have the byte.
pub fn read(bytes: &[u8], options: &GltfOptions, external: &mut External<'_>) -> Result<SpaceMotion> {
    let container = Container::read(bytes)?;
    let json = Json::read(container.json).map_err(|error| container.located(error))?;
    document(json, &container, options, external).map_err(|error| container.located(error))
}

fn document(
    json: Json<'_>,
    container: &Container<'_>,
    options: &GltfOptions,
    external: &mut External<'_>,
) -> Result<SpaceMotion> {
    let document = json.object()?;
    let Some(asset) = document.get("asset").filter(|asset| asset.kind() == JsonKind::Object) else {
        fail!(json.start(), "this is not a glTF file: it has no \"asset\"");
    };
    let version = asset.object()?.get("version");
    let number = version.and_then(Json::text_value);
    if !number.as_deref().is_some_and(|number| number.starts_with("2.")) {
        let at = version.unwrap_or(asset);
        return Err(ImportError::at(at.start(), "this is not glTF 2").help("export it again as glTF 2.0"));
    }
    let nodes = Nodes::read(&document)?;
    let mut notes = Vec::new();
    let animation = chosen(&document, options, &mut notes)?;
    let mut accessors = Accessors::new(&document, container.binary);
    let curves = curves(animation, &nodes, &mut accessors, external)?;
    let mut moved = vec![false; nodes.nodes.len()];
    curves.iter().for_each(|(node, ..)| moved[*node] = true);
    let node_list = list(&document, "nodes");
    let skins: Vec<Vec<usize>> = list(&document, "skins")
        .into_iter()
        .map(|skin| {
            let joints = list(&skin.object()?, "joints");
            joints
                .into_iter()
                .map(|joint| entry(&node_list, joint, "node").and_then(|_| joint.index()))
                .collect()
        })
        .collect::<Result<_>>()?;
    let human = human_bones(&document, &node_list)?;
    let named: Vec<usize> = human.iter().map(|(_, node)| *node).collect();
    let (joints, parents) = nodes.joints(&moved, &skins, &named)?;
    fail_if!(joints.is_empty(), animation.start(), "this animation moves no nodes");
    let mut names: Vec<String> = joints.iter().map(|&node| nodes.nodes[node].name.clone()).collect();
    if !human.is_empty() {
        for (at, node) in joints.iter().enumerate() {
            match human.iter().find(|(_, other)| other == node) {
                Some((name, _)) => names[at].clone_from(name),
                // A name of the file does not hide one of the body.
                None if human.iter().any(|(name, _)| *name == names[at]) => names[at].push('_'),
                None => {}
            }
        }
        notes.push(format!("the file names {} bones of a body (VRM)", human.len()));
    }
    let sampled = Sampled::new(&nodes, &curves, joints, options.rate, animation, &mut notes)?;
    // VRM has people alone.
    let kind = (!human.is_empty()).then_some(FigureKind::Person);
    let motion = |ends: &[JointEnd]| {
        let names = names.iter().cloned().chain(ends.iter().map(|end| end.name.clone())).collect();
        let parents = parents.iter().copied().chain(ends.iter().map(|end| Some(end.joint))).collect();
        SpaceMotion::new(names, parents, sampled.rate, sampled.positions(ends), sampled.rest(ends))
            .noted(&notes)
            .of_kind(kind)
    };
    let plain = motion(&[]);
    let ends: Vec<JointEnd> = missing_ends(&plain)
        .into_iter()
        .map(|(_, joint, long)| JointEnd {
            name: format!("{}_Tip", names[joint]),
            joint,
            along: match &nodes.nodes[sampled.joints[joint]].local {
                NodeTransform::Parts { position, .. } | NodeTransform::Matrix(_, position) => {
                    direction(*position).unwrap_or([0.0, 1.0, 0.0])
                }
            },
            long,
        })
        .collect();
    Ok(if ends.is_empty() { plain } else { motion(&ends) })
}

/// An end that a file does not have.
struct JointEnd {
    name: String,
    /// The index of its joint.
    joint: usize,
    /// Its direction in the space of the joint.
    along: Vec3,
    long: f64,
}

/// The animation to read.
fn chosen<'t>(document: &Object<'t>, options: &GltfOptions, notes: &mut Vec<String>) -> Result<Json<'t>> {
    let all = list(document, "animations");
    let name = |(at, json): (usize, &Json<'t>)| -> Result<String> {
        let name = json.object()?.get("name").and_then(Json::text_value);
        Ok(name.map_or_else(|| format!("{}", at + 1), |name| name.into_owned()))
    };
    let names: Vec<String> = all.iter().enumerate().map(name).collect::<Result<_>>()?;
    let shown = || {
        let some: Vec<String> = names.iter().take(12).map(|name| format!("\"{name}\"")).collect();
        let more = names.len() - some.len();
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        format!("{}{more}", some.join(", "))
    };
    let Some(first) = all.first() else {
        return Err(ImportError::new("there are no animations in this file")
            .help("it may have a model alone: export its animations, too"));
    };
    let Some(wanted) = &options.animation else {
        if all.len() > 1 {
            notes.push(format!(
                "the animation is \"{}\", the first of {}: --animation chooses another",
                names[0],
                shown()
            ));
        }
        return Ok(*first);
    };
    let by_number = || wanted.parse::<usize>().ok().and_then(|number| number.checked_sub(1));
    let at = names.iter().position(|name| name == wanted).or_else(by_number);
    at.and_then(|at| all.get(at)).copied().ok_or_else(|| {
        ImportError::new(format!("there is no animation \"{wanted}\"")).help(format!("there are {}", shown()))
    })
}

/// What a channel changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Path {
    Position,
    Rotation,
    Scale,
}

/// The channels of an animation that move nodes.
fn curves(
    animation: Json<'_>,
    nodes: &Nodes,
    accessors: &mut Accessors<'_>,
    external: &mut External<'_>,
) -> Result<Vec<(usize, Path, GltfCurve)>> {
    let content = animation.object()?;
    let samplers = list(&content, "samplers");
    let mut found = Vec::new();
    for channel in list(&content, "channels") {
        let parts = channel.object()?;
        let Some(target) = parts.get("target") else {
            fail!(channel.start(), "this channel has no \"target\"");
        };
        let target = target.object()?;
        let path = match target.get("path").and_then(Json::text_value).as_deref() {
            Some("translation") => Path::Position,
            Some("rotation") => Path::Rotation,
            Some("scale") => Path::Scale,
            // Weights of morph targets, and what extensions add.
            _ => continue,
        };
        // A channel without a node is one of an extension.
        let Some(node) = target.get("node") else { continue };
        let at = node.index()?;
        let Some(local) = nodes.nodes.get(at) else {
            fail!(node.span(), "there is no node {at}: the file has {}", nodes.nodes.len());
        };
        if matches!(local.local, NodeTransform::Matrix(..)) {
            fail!(node.span(), "node {at} has a matrix, so it cannot be animated");
        }
        let Some(sampler) = parts.get("sampler") else {
            fail!(channel.start(), "this channel has no \"sampler\"");
        };
        let sampler = entry(&samplers, sampler, "sampler")?;
        let parts = sampler.object()?;
        let (Some(input), Some(output)) = (parts.get("input"), parts.get("output")) else {
            fail!(sampler.start(), "a sampler has an \"input\" and an \"output\"");
        };
        let interpolation = Interpolation::read(parts.get("interpolation"))?;
        let times = accessors.read(input, external)?;
        let values = accessors.read(output, external)?;
        let width = if path == Path::Rotation { 4 } else { 3 };
        let keys = times.values.len();
        let rows = if interpolation == Interpolation::CubicSpline { 3 * keys } else { keys };
        fail_if!(times.width != 1 || keys == 0, input.span(), "the times of keys are numbers, at least one");
        if times.values.windows(2).any(|pair| pair[0] >= pair[1]) {
            fail!(input.span(), "the times of the keys do not increase");
        }
        if values.width != width || values.values.len() != rows * width {
            fail!(
                output.span(),
                "{keys} keys need {rows} rows of {width} numbers, and there are {} of {}",
                values.values.len() / values.width,
                values.width
            );
        }
        let curve = GltfCurve { times: times.values, values: values.values, width, interpolation };
        found.push((at, path, curve));
    }
    fail_if!(found.is_empty(), animation.start(), "this animation moves no nodes");
    Ok(found)
}

/// The bones of a body that a VRM file names, with their nodes.
fn human_bones(document: &Object<'_>, nodes: &[Json<'_>]) -> Result<Vec<(String, usize)>> {
    let Some(extensions) = document.get("extensions").map(Json::object).transpose()? else {
        return Ok(Vec::new());
    };
    let Some(vrm) = extensions.any(&["VRMC_vrm", "VRMC_vrm_animation", "VRM"]) else { return Ok(Vec::new()) };
    let Some(humanoid) = vrm.object()?.get("humanoid") else { return Ok(Vec::new()) };
    let Some(bones) = humanoid.object()?.get("humanBones") else { return Ok(Vec::new()) };
    let node = |bone: &Object<'_>| -> Result<Option<usize>> {
        let Some(node) = bone.get("node") else { return Ok(None) };
        // Files have -1 for bones that are missing.
        if node.number()? < 0.0 {
            return Ok(None);
        }
        entry(nodes, node, "node")?;
        node.index().map(Some)
    };
    let mut found: Vec<(String, usize)> = Vec::new();
    let mut add = |name: String, node: usize| {
        if !found.iter().any(|(other, there)| *other == name || *there == node) {
            found.push((name, node));
        }
    };
    match bones.kind() {
        // VRM 0 has a list, VRM 1 an object.
        JsonKind::List => {
            for bone in bones.list() {
                let bone = bone.object()?;
                if let (Some(name), Some(node)) = (bone.get("bone").and_then(Json::text_value), node(&bone)?)
                {
                    add(name.into_owned(), node);
                }
            }
        }
        _ => {
            for (name, bone) in bones.object()?.entries() {
                if let Some(node) = node(&bone.object()?)? {
                    add(name.to_owned(), node);
                }
            }
        }
    }
    Ok(found)
}

/// An animation at an even rate.
struct Sampled<'a> {
    nodes: &'a Nodes,
    curves: &'a [(usize, Path, GltfCurve)],
    /// The nodes that are joints.
    joints: Vec<usize>,
    start: f64,
    frames: usize,
    rate: f64,
}

impl<'a> Sampled<'a> {
    fn new(
        nodes: &'a Nodes,
        curves: &'a [(usize, Path, GltfCurve)],
        joints: Vec<usize>,
        rate: Option<f64>,
        animation: Json<'_>,
        notes: &mut Vec<String>,
    ) -> Result<Self> {
        let times = || curves.iter().flat_map(|(.., curve)| &curve.times);
        let start = times().copied().fold(f64::MAX, f64::min);
        let end = times().copied().fold(f64::MIN, f64::max);
        let found = rate.or_else(|| key_rate(curves));
        if found.is_none() {
            notes.push(format!(
                "the keys have no even rate: {USUAL_RATE} frames a second are read, --video-fps changes it"
            ));
        }
        let rate = found.unwrap_or(USUAL_RATE);
        // Times are stored in single precision.
        let count = ((end - start) * rate + 1e-3).floor();
        if !(count >= 0.0 && (count + 1.0) * (nodes.nodes.len() as f64 + 8.0) < MAX_POSITIONS as f64) {
            fail!(animation.start(), "{:.0} s at {rate} frames a second are too many frames", end - start);
        }
        Ok(Self { nodes, curves, joints, start, frames: count as usize + 1, rate })
    }

    /// The transforms of all nodes at rest.
    fn locals(&self) -> Vec<NodeTransform> {
        self.nodes.nodes.iter().map(|node| node.local.clone()).collect()
    }

    fn push(&self, world: &[(Mat3, Vec3)], ends: &[JointEnd], positions: &mut Vec<Vec3>) {
        positions.extend(self.joints.iter().map(|&node| world[node].1));
        for end in ends {
            let (turn, from) = &world[self.joints[end.joint]];
            let way = direction(apply(turn, end.along)).unwrap_or([0.0; 3]);
            positions.push(add(*from, scaled(way, end.long)));
        }
    }

    fn rest(&self, ends: &[JointEnd]) -> Vec<Vec3> {
        let (mut world, mut positions) = (Vec::new(), Vec::new());
        self.nodes.place(|node| self.nodes.nodes[node].local.matrix(), &mut world);
        self.push(&world, ends, &mut positions);
        positions
    }

    fn positions(&self, ends: &[JointEnd]) -> Vec<Vec3> {
        let mut positions = Vec::with_capacity(self.frames * (self.joints.len() + ends.len()));
        let (mut locals, mut world) = (self.locals(), Vec::new());
        for frame in 0..self.frames {
            let time = self.start + frame as f64 / self.rate;
            for (node, path, curve) in self.curves {
                let NodeTransform::Parts { position, rotation, scale } = &mut locals[*node] else { continue };
                let [x, y, z, w] = curve.at(time);
                match path {
                    Path::Position => *position = [x, y, z],
                    Path::Rotation => *rotation = [x, y, z, w],
                    Path::Scale => *scale = [x, y, z],
                }
            }
            self.nodes.place(|node| locals[node].matrix(), &mut world);
            self.push(&world, ends, &mut positions);
        }
        positions
    }
}

/// The rate of the keys, if their distances are multiples of a frame of a whole rate.
fn key_rate(curves: &[(usize, Path, GltfCurve)]) -> Option<f64> {
    let gaps = || curves.iter().flat_map(|(.., curve)| curve.times.windows(2).map(|pair| pair[1] - pair[0]));
    let least = gaps().fold(f64::MAX, f64::min);
    let rate = (1.0 / least).round();
    let even = |gap: f64| {
        let frames = gap * rate;
        (frames - frames.round()).abs() < 0.05
    };
    ((10.0..=240.0).contains(&rate) && gaps().all(even)).then_some(rate)
}
