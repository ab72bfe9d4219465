//! Acclaim's formats, in which the CMU database has its captures: an ASF file has a skeleton of bones with
//! directions, lengths and axes, an AMC file the rotations of each frame.
//!
//! After M. Meredith and S. Maddock, "Motion Capture File Formats Explained" (2001): with `C` the axis of a bone
//! and `M` its rotations of a frame, the bone turns by `C M C^-1` within its parent.

use std::collections::BTreeMap;
use std::ops::Range;

use bone_core::Angle;

use crate::ImportError;
use crate::error::{self, Result};
use crate::space::{IDENTITY, Mat3, Vec3, add, apply, scaled, turned};
use crate::space_motion::SpaceMotion;
use crate::text::{PlacedWord, place};

/// The largest number of bones.
const MAX_BONES: usize = 4096;
/// The largest number of frames.
const MAX_FRAMES: usize = 1_000_000;

/// A number of a row.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Freedom {
    Move(usize),
    Turn(usize),
    /// The length of a bone, which is not used.
    Length,
}

/// A bone of a skeleton; the first one is the root.
#[derive(Clone, Debug, PartialEq)]
struct AsfBone {
    name: String,
    parent: Option<usize>,
    /// From its start to its end, in the space of the file.
    way: Vec3,
    axis: Mat3,
    freedoms: Vec<Freedom>,
}

/// The skeleton of an ASF file.
#[derive(Clone, Debug, PartialEq)]
pub struct AsfSkeleton {
    bones: Vec<AsfBone>,
    position: Vec3,
    /// Degrees for a unit of angle.
    degrees: f64,
}

/// The words of each line that has some; comments are left out.
fn lines(text: &str) -> impl Iterator<Item = Vec<PlacedWord<'_>>> {
    text.lines().filter_map(move |line| {
        let code = line.split('#').next().unwrap_or_default();
        let words: Vec<PlacedWord<'_>> = code
            .split(|c: char| c.is_whitespace() || matches!(c, '(' | ')' | ','))
            .filter(|word| !word.is_empty())
            .map(|word| (word, place(text, word)))
            .collect();
        (!words.is_empty()).then_some(words)
    })
}

fn number(word: &PlacedWord<'_>, what: &str) -> Result<f64> {
    error::number(word.0, &word.1, f64::INFINITY, what)
}

/// The numbers of a line after its first word.
fn three(line: &[PlacedWord<'_>], what: &str) -> Result<Vec3> {
    fail_if!(line.len() < 4, line[0].1.clone(), "three numbers of {what} should follow");
    Ok([number(&line[1], what)?, number(&line[2], what)?, number(&line[3], what)?])
}

fn freedom(word: &PlacedWord<'_>) -> Result<Freedom> {
    Ok(match word.0.to_ascii_lowercase().as_str() {
        "tx" => Freedom::Move(0),
        "ty" => Freedom::Move(1),
        "tz" => Freedom::Move(2),
        "rx" => Freedom::Turn(0),
        "ry" => Freedom::Turn(1),
        "rz" => Freedom::Turn(2),
        "l" => Freedom::Length,
        _ => {
            let message = format!("\"{}\" is not a degree of freedom", word.0);
            return Err(
                ImportError::at(word.1.clone(), message).help("they are tx, ty, tz, rx, ry, rz and l")
            );
        }
    })
}

/// The matrix of three angles that are applied in an order like `XYZ`: about x first.
fn matrix(angles: Vec3, order: &PlacedWord<'_>, degrees: f64) -> Result<Mat3> {
    let mut axes = Vec::new();
    for letter in order.0.chars() {
        axes.push(match letter.to_ascii_uppercase() {
            'X' => 0,
            'Y' => 1,
            'Z' => 2,
            _ => {
                let message = format!("\"{}\" is not an order of axes", order.0);
                return Err(ImportError::at(order.1.clone(), message).help("it is written like XYZ"));
            }
        });
    }
    // The rotation that is applied first is the rightmost factor.
    let turns = axes.iter().zip(angles).rev();
    Ok(turns.fold(IDENTITY, |m, (&axis, angle)| turned(&m, axis, Angle::from_degrees(angle * degrees))))
}

/// The transposed matrix: the inverse of a rotation.
fn inverse(m: &Mat3) -> Mat3 {
    std::array::from_fn(|row| std::array::from_fn(|column| m[column][row]))
}

fn product(a: &Mat3, b: &Mat3) -> Mat3 {
    let columns = inverse(b);
    std::array::from_fn(|row| std::array::from_fn(|column| crate::space::dot(a[row], columns[column])))
}

/// What was read of an ASF text.
struct AsfReader<'t> {
    bones: Vec<AsfBone>,
    /// The place of each bone in the text.
    spans: Vec<Range<usize>>,
    /// Degrees for a unit of angle.
    degrees: f64,
    position: Vec3,
    root: AsfBone,
    /// The angles of the root's axis, their order, and its place.
    root_axis: Option<(Vec3, PlacedWord<'t>)>,
    /// The bone that is being read: its direction and its length.
    open: Option<(AsfBone, Vec3, f64, Range<usize>)>,
    /// The name of the parent of each bone.
    parents: BTreeMap<String, String>,
}

impl<'t> AsfReader<'t> {
    fn new() -> Self {
        let root = AsfBone {
            name: "root".to_owned(),
            parent: None,
            way: [0.0; 3],
            axis: IDENTITY,
            freedoms: vec![],
        };
        Self {
            bones: Vec::new(),
            spans: Vec::new(),
            degrees: 1.0,
            position: [0.0; 3],
            root,
            root_axis: None,
            open: None,
            parents: BTreeMap::new(),
        }
    }

    /// Reads a line of a section; unknown ones are left out.
    fn line(&mut self, section: &str, line: &[PlacedWord<'t>]) -> Result<()> {
        match (section, line[0].0.to_ascii_lowercase().as_str()) {
            ("units", "angle") if line.len() > 1 && line[1].0.to_ascii_lowercase().starts_with("rad") => {
                self.degrees = 180.0 / std::f64::consts::PI;
            }
            ("root", "order") => self.root.freedoms = line[1..].iter().map(freedom).collect::<Result<_>>()?,
            ("root", "position") => self.position = three(line, "the position")?,
            ("root", "orientation") => {
                let angles = three(line, "the orientation")?;
                let order = self.root_axis.take().map_or("XYZ", |axis| axis.1.0);
                self.root_axis = Some((angles, (order, line[0].1.clone())));
            }
            ("root", "axis") if line.len() > 1 => {
                let angles = self.root_axis.take().map_or([0.0; 3], |axis| axis.0);
                self.root_axis = Some((angles, line[1].clone()));
            }
            ("bonedata", word) => self.bone_line(word, line)?,
            ("hierarchy", "begin" | "end") => {}
            ("hierarchy", _) => {
                for child in &line[1..] {
                    fail_if!(child.0 == line[0].0, child.1.clone(), "a bone cannot be its own parent");
                    if self.parents.insert(child.0.to_owned(), line[0].0.to_owned()).is_some() {
                        fail!(child.1.clone(), "\"{}\" has two parents", child.0);
                    }
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// Reads a line about a bone, which stands between `begin` and `end`.
    fn bone_line(&mut self, word: &str, line: &[PlacedWord<'t>]) -> Result<()> {
        if word == "begin" {
            fail_if!(self.bones.len() >= MAX_BONES, line[0].1.clone(), "more than {MAX_BONES} bones");
            let bone = AsfBone { name: String::new(), freedoms: Vec::new(), ..self.root.clone() };
            self.open = Some((bone, [0.0; 3], 0.0, line[0].1.clone()));
            return Ok(());
        }
        if word == "end" {
            let Some((mut bone, direction, length, span)) = self.open.take() else {
                fail!(line[0].1.clone(), "\"end\" without \"begin\"");
            };
            fail_if!(bone.name.is_empty(), span, "a bone without a name");
            if self.bones.iter().any(|other| other.name == bone.name) {
                fail!(span, "a second bone \"{}\"", bone.name);
            }
            bone.way = scaled(direction, length);
            self.bones.push(bone);
            self.spans.push(span);
            return Ok(());
        }
        let Some((bone, direction, length, _)) = &mut self.open else {
            fail!(line[0].1.clone(), "\"{}\" where begin should be", line[0].0);
        };
        match word {
            "name" if line.len() > 1 => bone.name = line[1].0.to_owned(),
            "direction" => *direction = three(line, "the direction")?,
            "length" if line.len() > 1 => *length = number(&line[1], "the length")?,
            "axis" => {
                let angles = three(line, "the axis")?;
                let order = line.get(4).cloned().unwrap_or(("XYZ", line[0].1.clone()));
                bone.axis = matrix(angles, &order, self.degrees)?;
            }
            "dof" => bone.freedoms = line[1..].iter().map(freedom).collect::<Result<_>>()?,
            // Limits, masses and numbers of bones.
            _ => {}
        }
        Ok(())
    }

    fn finish(self) -> Result<AsfSkeleton> {
        let Self { bones, spans, degrees, position, mut root, root_axis, open, parents } = self;
        if let Some((.., span)) = open {
            let error = ImportError::at(span, "this bone has no \"end\"");
            return Err(error.help("the file may have been cut off"));
        }
        if bones.is_empty() {
            return Err(ImportError::new("there are no bones in this skeleton")
                .help("an ASF file has its bones after :bonedata; it may be another kind of file"));
        }
        if let Some((angles, order)) = root_axis {
            root.axis = matrix(angles, &order, degrees)?;
        }
        if root.freedoms.is_empty() {
            root.freedoms = (0..3).map(Freedom::Move).chain((0..3).map(Freedom::Turn)).collect();
        }
        // Parents first, from the root on.
        let mut sorted = vec![root];
        let mut at = 0;
        while at < sorted.len() {
            let name = sorted[at].name.clone();
            for bone in bones.iter().filter(|bone| parents.get(&bone.name) == Some(&name)) {
                sorted.push(AsfBone { parent: Some(at), ..bone.clone() });
            }
            at += 1;
        }
        if let Some(lost) = bones.iter().position(|bone| !sorted.iter().any(|there| there.name == bone.name))
        {
            let message = format!("bone \"{}\" does not connect with the root", bones[lost].name);
            return Err(ImportError::at(spans[lost].clone(), message)
                .help("each bone has to be named in :hierarchy, after its parent"));
        }
        let unknown = |child: &&String| !bones.iter().any(|bone| bone.name == **child);
        if let Some(child) = parents.keys().find(unknown) {
            fail!("there is no bone \"{child}\", which :hierarchy names");
        }
        Ok(AsfSkeleton { bones: sorted, position, degrees })
    }
}

/// Parses an ASF text.
///
/// # Errors
/// At the first place that is not valid.
pub fn read_skeleton(text: &str) -> Result<AsfSkeleton> {
    let mut section = String::new();
    let mut reader = AsfReader::new();
    for line in lines(text) {
        match line[0].0.to_ascii_lowercase().strip_prefix(':') {
            Some(name) => name.clone_into(&mut section),
            None => reader.line(&section, &line)?,
        }
    }
    reader.finish()
}

/// Parses an AMC text for a skeleton. `rate` is in frames a second; the file has none.
///
/// # Errors
/// At the first place that is not valid.
pub fn read_motion(skeleton: &AsfSkeleton, text: &str, rate: f64) -> Result<SpaceMotion> {
    let bones = &skeleton.bones;
    let mut degrees = skeleton.degrees;
    let zero: Vec<Vec<f64>> = bones.iter().map(|bone| vec![0.0; bone.freedoms.len()]).collect();
    let mut frame: Option<Vec<Vec<f64>>> = None;
    let mut positions: Vec<Vec3> = Vec::new();
    let mut frames = 0;
    for line in lines(text) {
        let (word, span) = &line[0];
        if word.starts_with(':') {
            match word.to_ascii_lowercase().as_str() {
                ":degrees" => degrees = 1.0,
                ":radians" => degrees = 180.0 / std::f64::consts::PI,
                _ => {}
            }
            continue;
        }
        if word.bytes().all(|byte| byte.is_ascii_digit()) {
            if let Some(values) = frame.replace(zero.clone()) {
                skeleton.place(&values, degrees, &mut positions);
            }
            frames += 1;
            fail_if!(frames > MAX_FRAMES, span.clone(), "more than {MAX_FRAMES} frames");
            continue;
        }
        let Some(values) = &mut frame else {
            return Err(ImportError::at(
                span.clone(),
                format!("\"{word}\" where the number of a frame should be"),
            )
            .help("an AMC file has a line with its number before each frame"));
        };
        let Some(bone) = bones.iter().position(|bone| bone.name == *word) else {
            return Err(ImportError::at(span.clone(), format!("the skeleton has no bone \"{word}\""))
                .help("the .asf file has to be that of this recording"));
        };
        let wanted = bones[bone].freedoms.len();
        if line.len() - 1 != wanted {
            let message = format!("\"{word}\" has {} numbers, and its bone has {wanted}", line.len() - 1);
            return Err(ImportError::at(span.clone(), message).help("the file may have been cut off"));
        }
        for (value, word) in values[bone].iter_mut().zip(&line[1..]) {
            *value = number(word, "a number of the motion")?;
        }
    }
    match frame {
        Some(values) => skeleton.place(&values, degrees, &mut positions),
        None => fail!("there are no frames in this file"),
    }
    let mut rest = Vec::new();
    skeleton.place(&zero, degrees, &mut rest);
    let (names, parents) = skeleton.joints();
    Ok(SpaceMotion::new(names, parents, rate, positions, rest))
}

impl AsfSkeleton {
    /// The number of bones, the root included.
    pub fn bone_count(&self) -> usize {
        self.bones.len()
    }

    /// Whether other bones begin where a bone ends.
    fn has_child(&self, bone: usize) -> bool {
        self.bones.iter().any(|other| other.parent == Some(bone))
    }

    /// The joints: one where each bone begins, and one at each free end.
    fn joints(&self) -> (Vec<String>, Vec<Option<usize>>) {
        let mut names: Vec<String> = self.bones.iter().map(|bone| bone.name.clone()).collect();
        let mut parents: Vec<Option<usize>> = self.bones.iter().map(|bone| bone.parent).collect();
        for bone in (1..self.bones.len()).filter(|&bone| !self.has_child(bone)) {
            names.push(format!("{}_End", self.bones[bone].name));
            parents.push(Some(bone));
        }
        (names, parents)
    }

    /// Appends the positions of all joints of a frame.
    fn place(&self, values: &[Vec<f64>], degrees: f64, positions: &mut Vec<Vec3>) {
        let start = positions.len();
        let mut turns: Vec<Mat3> = Vec::with_capacity(self.bones.len());
        let mut ends: Vec<Vec3> = Vec::with_capacity(self.bones.len());
        for (bone, values) in self.bones.iter().zip(values) {
            let (mut moved, mut rotated) = ([0.0; 3], IDENTITY);
            // Rotations are applied in the order of their numbers.
            for (freedom, value) in bone.freedoms.iter().zip(values).rev() {
                match *freedom {
                    Freedom::Move(axis) => moved[axis] = *value,
                    Freedom::Turn(axis) => {
                        rotated = turned(&rotated, axis, Angle::from_degrees(value * degrees));
                    }
                    Freedom::Length => {}
                }
            }
            let local = product(&product(&bone.axis, &rotated), &inverse(&bone.axis));
            let (turn, from) = match bone.parent {
                Some(parent) => (product(&turns[parent], &local), ends[parent]),
                None => (local, add(self.position, moved)),
            };
            let end = add(from, apply(&turn, bone.way));
            positions.push(from);
            turns.push(turn);
            ends.push(end);
        }
        for bone in (1..self.bones.len()).filter(|&bone| !self.has_child(bone)) {
            positions.push(ends[bone]);
        }
        debug_assert_eq!(positions.len() - start, self.joints().0.len());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ASF: &str = "# a comment\n:version 1.10\n:name test\n:units\n  mass 1.0\n  length 0.45\n  angle deg\n\
        :documentation\n  none\n:root\n   order TX TY TZ RX RY RZ\n   axis XYZ\n   position 1 2 3\n   orientation 0 0 0\n\
        :bonedata\n  begin\n     id 1\n     name thigh\n     direction 0 -1 0\n     length 4\n     axis 0 0 20 XYZ\n\
        \u{20}    dof rx ry rz\n     limits (-160.0 20.0)\n            (-70.0 70.0)\n            (-60.0 70.0)\n  end\n\
        \u{20} begin\n     name shin\n     direction 0 -1 0\n     length 3\n     axis 0 0 20 XYZ\n     dof rx\n  end\n\
        :hierarchy\n  begin\n    root thigh\n    thigh shin\n  end\n";

    /// Quaternions, as an independent way to compose rotations: w, x, y, z.
    type Quaternion = [f64; 4];

    fn about(axis: Vec3, degrees: f64) -> Quaternion {
        let (sin, cos) = Angle::from_degrees(degrees / 2.0).sin_cos();
        [cos, axis[0] * sin, axis[1] * sin, axis[2] * sin]
    }

    fn times(a: Quaternion, b: Quaternion) -> Quaternion {
        [
            a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
            a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
            a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
            a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0],
        ]
    }

    fn rotate(q: Quaternion, v: Vec3) -> Vec3 {
        let back = [q[0], -q[1], -q[2], -q[3]];
        let turned = times(times(q, [0.0, v[0], v[1], v[2]]), back);
        [turned[1], turned[2], turned[3]]
    }

    /// The matrix of rotations about x, then y, then z, is that of the quaternions; bones turn about the axes
    /// of the specification.
    #[test]
    fn joints_are_where_the_specification_puts_them() {
        let skeleton = read_skeleton(ASF).expect("a skeleton");
        let amc = "#!OML:ASF x\n:FULLY-SPECIFIED\n:DEGREES\n1\nroot 0 0 0 0 0 0\nthigh 0 0 0\nshin 0\n2\n\
            root 0.5 -1 2 10 20 30\nthigh 40 -15 25\nshin 70\n";
        let motion = read_motion(&skeleton, amc, 120.0).expect("a motion");
        assert_eq!(motion.names, ["root", "thigh", "shin", "shin_End"]);
        assert_eq!(motion.frames(), 2);
        assert_eq!(
            motion.positions[..4],
            [[1.0, 2.0, 3.0], [1.0, 2.0, 3.0], [1.0, -2.0, 3.0], [1.0, -5.0, 3.0]]
        );
        let [x, y, z] = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        let all = |a: f64, b: f64, c: f64| times(about(z, c), times(about(y, b), about(x, a)));
        let root = all(10.0, 20.0, 30.0);
        let axis = about(z, 20.0);
        let within = |turn: Quaternion| times(times(axis, turn), about(z, -20.0));
        let thigh = times(root, within(all(40.0, -15.0, 25.0)));
        let shin = times(thigh, within(about(x, 70.0)));
        let hips = [1.5, 1.0, 5.0];
        let knee = add(hips, rotate(thigh, [0.0, -4.0, 0.0]));
        let ankle = add(knee, rotate(shin, [0.0, -3.0, 0.0]));
        for (found, wanted) in motion.positions[4..].iter().zip([hips, hips, knee, ankle]) {
            for axis in 0..3 {
                assert!((found[axis] - wanted[axis]).abs() < 1e-9, "{found:?} {wanted:?}");
            }
        }
    }

    #[test]
    fn damaged_files_have_messages() {
        let skeleton = read_skeleton(ASF).expect("a skeleton");
        let cases = [
            ("", "there are no frames", ""),
            ("root 0 0 0 0 0 0\n", "\"root\" where the number of a frame", "root"),
            ("1\nroot 0 0 0\n", "\"root\" has 3 numbers", "root"),
            ("1\nroot 0 0 0 0 0 x\n", "\"x\" where a number of the motion", "x"),
            ("1\nroot 0 0 0 0 0 nan\n", "\"nan\" where a number of the motion", "nan"),
            ("1\ntail 0\n", "the skeleton has no bone \"tail\"", "tail"),
            ("HIERARCHY\nROOT a\n", "\"HIERARCHY\" where the number", "HIERARCHY"),
        ];
        for (text, message, at) in cases {
            let error = read_motion(&skeleton, text, 120.0).expect_err(text);
            assert!(error.message.starts_with(message), "{text}: {error}");
            assert_eq!(error.span.map_or("", |span| &text[span]), at, "{text}");
        }
        let cases = [
            ("", "there are no bones"),
            (":bonedata\nbegin\nname a\n", "this bone has no \"end\""),
            (":bonedata\nend\n", "\"end\" without"),
            (":bonedata\nname a\n", "\"name\" where begin should be"),
            (":bonedata\nbegin\nlength 3\nend\n", "a bone without a name"),
            (":bonedata\nbegin\nname a\nlength x\nend\n", "\"x\" where the length"),
            (":bonedata\nbegin\nname a\ndirection 1 2\nend\n", "three numbers of the direction"),
            (":bonedata\nbegin\nname a\naxis 0 0 0 XQZ\nend\n", "\"XQZ\" is not an order"),
            (":bonedata\nbegin\nname a\ndof rx rq\nend\n", "\"rq\" is not a degree of freedom"),
            (":bonedata\nbegin\nname a\nend\nbegin\nname a\nend\n", "a second bone \"a\""),
            (":bonedata\nbegin\nname a\nend\n", "bone \"a\" does not connect with the root"),
            (":bonedata\nbegin\nname a\nend\n:hierarchy\nbegin\na a\nend\n", "a bone cannot be its own"),
            (":bonedata\nbegin\nname a\nend\n:hierarchy\nroot a b\n", "there is no bone \"b\""),
            (":bonedata\nbegin\nname a\nend\n:hierarchy\nroot a\nb a\n", "\"a\" has two parents"),
        ];
        for (text, message) in cases {
            let error = read_skeleton(text).expect_err(text);
            assert!(error.message.starts_with(message), "{text}: {error}");
        }
        // Bones in a circle are not connected with the root.
        let circle = ":bonedata\nbegin\nname a\nend\nbegin\nname b\nend\n:hierarchy\na b\nb a\n";
        assert!(read_skeleton(circle).expect_err("a circle").message.contains("does not connect"));
    }
}
