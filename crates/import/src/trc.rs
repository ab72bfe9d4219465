//! TRC: the text in which Motion Analysis, OpenSim, Vicon's tools and Pose2Sim write markers. Five lines of
//! names, then a line for each frame: its number, its time, and x, y and z of each marker, with tabs between
//! them. Empty cells, NaN and three zeros are markers that were not seen.

use crate::ImportError;
use crate::error::{self, Result};
use crate::marker_tracks::MarkerMotion;
pub use crate::markers::StaticTrial;
use crate::markers::body_of;
use crate::space_motion::SpaceMotion;
use crate::text::{PlacedWord, cells};
use std::str::Lines;

/// The largest number of markers.
const MAX_MARKERS: usize = 4096;
/// The largest number of positions of markers.
const MAX_POSITIONS: usize = 20_000_000;

fn number(cell: &PlacedWord<'_>, what: &str) -> Result<f64> {
    error::number(cell.0, &cell.1, 1e12, what)
}

/// Reads the joints of a body from the markers of a text; `trial` has joints whose markers these lack.
///
/// # Errors
/// At the first place that is not valid, or if the markers are not those of a body.
pub fn read(text: &str, trial: Option<&StaticTrial>) -> Result<SpaceMotion> {
    let (motion, rate) = markers(text)?;
    body_of(&motion, rate, trial)
}

/// Reads a static trial: a person who stands, with markers that are taken off for the motion.
///
/// # Errors
/// At the first place that is not valid.
pub fn read_static(text: &str) -> Result<StaticTrial> {
    Ok(StaticTrial::new(markers(text)?.0))
}

/// The rate of a text and the names of its markers, from its first lines.
fn header<'t>(text: &'t str, lines: &mut Lines<'t>) -> Result<(f64, Vec<PlacedWord<'t>>)> {
    let end = text.trim_end().len();
    let mut next = |what: &str| {
        lines.next().map(|line| cells(text, line, '\t')).ok_or_else(|| {
            ImportError::at(end.saturating_sub(1)..end, format!("the file ends before its line of {what}"))
                .help("it may have been cut off")
        })
    };
    let filled = |line: Vec<PlacedWord<'t>>| -> Vec<PlacedWord<'t>> {
        line.into_iter().filter(|(word, _)| !word.is_empty()).collect()
    };
    let first = next("the type")?;
    // Some programs write blanks in place of the tabs of this line.
    if first[0].0.split_whitespace().next() != Some("PathFileType") {
        fail!(first[0].1.clone(), "this is not a TRC file: it does not begin with PathFileType");
    }
    let keys = next("DataRate and NumMarkers")?;
    let values = next("the rate")?;
    let (key_start, value_start) = (keys[0].1.clone(), values[0].1.clone());
    // Some have two tabs between values, so the order counts and not the column.
    let (keys, values) = (filled(keys), filled(values));
    let value = |key: &str| -> Result<f64> {
        let column = keys.iter().position(|(word, _)| word.eq_ignore_ascii_case(key));
        let Some(column) = column else {
            fail!(key_start.clone(), "this line has no {key}");
        };
        match values.get(column) {
            Some(cell) => number(cell, key),
            None => Err(ImportError::at(value_start.clone(), format!("this line has no value for {key}"))),
        }
    };
    let rate = value("DataRate")?;
    if !(rate > 0.0 && rate <= 100_000.0) {
        fail!(value_start, "{rate} frames a second cannot be read");
    }
    let announced = value("NumMarkers")?;
    let names = next("the markers")?;
    let start = names[0].1.clone();
    if !names[0].0.eq_ignore_ascii_case("Frame#") {
        fail!(start, "the line of the markers begins with Frame#");
    }
    // Names are above their x in most files, and in others a tab off; the numbers below are never shifted.
    let names = filled(names.into_iter().skip(2).collect());
    if names.len() as f64 != announced {
        fail!(start, "NumMarkers is {announced}, and the line of the markers has {}", names.len());
    }
    if names.is_empty() || names.len() > MAX_MARKERS {
        fail!(start, "from 1 to {MAX_MARKERS} markers can be read");
    }
    next("the axes")?;
    Ok((rate, names))
}

/// The markers of a text, and the frames a second.
fn markers(text: &str) -> Result<(MarkerMotion, f64)> {
    let mut lines = text.lines();
    let (rate, markers) = header(text, &mut lines)?;
    let width = 2 + 3 * markers.len();
    let mut seen: Vec<Option<[f64; 3]>> = Vec::new();
    let mut frames = 0;
    for line in lines {
        if line.trim().is_empty() {
            continue;
        }
        let found = cells(text, line, '\t');
        number(&found[0], "the number of a frame")?;
        // Lines may end with empty cells, or without those of the last markers.
        if found.len() > width && found[width..].iter().any(|(word, _)| !word.is_empty()) {
            fail!(
                found[0].1.clone(),
                "this line has {} columns, and {} markers have {width}",
                found.len(),
                markers.len()
            );
        }
        if let Some(time) = found.get(1) {
            number(time, "the time of a frame")?;
        }
        frames += 1;
        if frames * markers.len() > MAX_POSITIONS {
            fail!(found[0].1.clone(), "more than {MAX_POSITIONS} positions");
        }
        for (marker, (name, _)) in markers.iter().enumerate() {
            let from = (2 + 3 * marker).min(found.len());
            seen.push(position(name, &found[from..(from + 3).min(found.len())])?);
        }
    }
    if frames == 0 {
        return Err(ImportError::new("there are no frames in this file").help("it may have been cut off"));
    }
    let names: Vec<String> = markers.iter().map(|(name, _)| (*name).to_owned()).collect();
    Ok((MarkerMotion { names, seen }, rate))
}

/// The position in the cells of a marker; `None` if it was not seen.
fn position(name: &str, cells: &[PlacedWord<'_>]) -> Result<Option<[f64; 3]>> {
    let filled = cells.iter().filter(|(word, _)| !word.is_empty()).count();
    if cells.iter().all(|(word, _)| word.is_empty() || word.eq_ignore_ascii_case("nan")) {
        return Ok(None);
    }
    let ([x, y, z], 3) = (cells, filled) else {
        let message = format!("\"{name}\" has {filled} numbers in this line");
        return Err(ImportError::at(cells[0].1.clone(), message).help("the file may have been cut off"));
    };
    let what = "a position";
    let at = [number(x, what)?, number(y, what)?, number(z, what)?];
    // Cameras of Motion Analysis write hidden markers as zeros.
    Ok((at != [0.0; 3]).then_some(at))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parts::BodyPart;
    use crate::space::{Vec3, length, sub};
    use bone_core::Side;

    /// A person who walks along x, y up, in metres: joints by name.
    const JOINTS: [(&str, [f64; 3]); 15] = [
        ("Hip", [0.0, 1.0, 0.0]),
        ("RHip", [0.0, 0.95, 0.1]),
        ("RKnee", [0.05, 0.5, 0.1]),
        ("RAnkle", [0.0, 0.08, 0.1]),
        ("RBigToe", [0.15, 0.02, 0.1]),
        ("LHip", [0.0, 0.95, -0.1]),
        ("LKnee", [0.05, 0.5, -0.1]),
        ("LAnkle", [0.0, 0.08, -0.1]),
        ("LBigToe", [0.15, 0.02, -0.1]),
        ("Neck", [0.0, 1.5, 0.0]),
        ("Head", [0.02, 1.72, 0.0]),
        ("RShoulder", [0.0, 1.45, 0.2]),
        ("RElbow", [0.0, 1.17, 0.22]),
        ("RWrist", [0.1, 0.93, 0.22]),
        ("LShoulder", [0.0, 1.45, -0.2]),
    ];

    fn written(markers: &[(&str, Vec3)], frames: usize) -> String {
        let mut out = "PathFileType\t4\t(X/Y/Z)\twalk.trc\n".to_owned();
        out += "DataRate\tCameraRate\tNumFrames\tNumMarkers\tUnits\tOrigDataRate\tOrigDataStartFrame\tOrigNumFrames\n";
        out += &format!("60.00\t60.00\t{frames}\t{}\tm\t60.00\t1\t{frames}\nFrame#\tTime", markers.len());
        for (name, _) in markers {
            out += &format!("\t{name}\t\t");
        }
        out += "\n\t";
        for at in 1..=markers.len() {
            out += &format!("\tX{at}\tY{at}\tZ{at}");
        }
        out += "\n\n";
        for frame in 0..frames {
            out += &format!("{}\t{:.4}", frame + 1, frame as f64 / 60.0);
            for (_, [x, y, z]) in markers {
                out += &format!("\t{:.5}\t{y:.5}\t{z:.5}", x + 0.02 * frame as f64);
            }
            out += "\n";
        }
        out
    }

    #[test]
    fn joints_by_name_are_a_body() {
        let motion = read(&written(&JOINTS, 4), None).expect("a motion");
        assert_eq!((motion.rate, motion.frames()), (60.0, 4));
        let body = motion.body();
        for (part, name) in [
            (BodyPart::Thigh(Side::Right), "RHip"),
            (BodyPart::Shin(Side::Left), "LKnee"),
            (BodyPart::Hand(Side::Right), "RWrist"),
            (BodyPart::Head, "Head"),
        ] {
            let joint = body.start(part).expect(name);
            let wanted = JOINTS.iter().find(|(other, _)| *other == name).expect(name).1;
            let found = motion.positions[motion.names.len() * 2 + joint];
            assert!(length(sub(found, [wanted[0] + 0.04, wanted[1], wanted[2]])) < 1e-4, "{name}: {found:?}");
        }
    }

    /// The centre of a hip by Bell and others (1990): 36 % of the distance of both front points of the pelvis
    /// to the side of their middle, 19 % behind and 30 % below it.
    #[test]
    fn joints_of_anatomical_markers() {
        let markers: Vec<(&str, Vec3)> = vec![
            ("R.ASIS", [0.1, 1.0, 0.125]),
            ("L.ASIS", [0.1, 1.0, -0.125]),
            ("V.Sacral", [-0.08, 1.0, 0.0]),
            ("R.Knee.Lat", [0.0, 0.5, 0.15]),
            ("R.Knee.Med", [0.0, 0.5, 0.05]),
            ("L.Knee.Lat", [0.0, 0.5, -0.15]),
            ("L.Knee.Med", [0.0, 0.5, -0.05]),
            ("R.Ankle.Lat", [0.0, 0.1, 0.13]),
            ("L.Ankle.Lat", [0.0, 0.1, -0.13]),
            ("R.Toe.Tip", [0.2, 0.05, 0.1]),
            ("L.Toe.Tip", [0.2, 0.05, -0.1]),
            ("R.Acromium", [0.0, 1.45, 0.2]),
            ("L.Acromium", [0.0, 1.45, -0.2]),
            ("Top.Head", [0.0, 1.8, 0.0]),
        ];
        let motion = read(&written(&markers, 3), None).expect("a motion");
        let at = |name: &str| motion.positions[motion.names.iter().position(|n| n == name).expect(name)];
        let near =
            |found: Vec3, wanted: Vec3| assert!(length(sub(found, wanted)) < 1e-4, "{found:?} {wanted:?}");
        near(at("RightUpLeg"), [0.1 - 0.19 * 0.25, 1.0 - 0.3 * 0.25, 0.36 * 0.25]);
        near(at("LeftUpLeg"), [0.1 - 0.19 * 0.25, 1.0 - 0.3 * 0.25, -0.36 * 0.25]);
        near(at("RightLeg"), [0.0, 0.5, 0.1]);
        near(at("LeftToeBase"), [0.2, 0.05, -0.1]);
        near(at("Neck"), [0.0, 1.45, 0.0]);
        assert!(motion.body().is_whole());
    }

    #[test]
    fn hidden_markers_are_bridged() {
        let text = written(&JOINTS, 5);
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        // The right ankle in frames 2 to 4.
        for line in &mut lines[7..10] {
            let mut cells: Vec<&str> = line.split('\t').collect();
            cells[11..14].fill("");
            *line = cells.join("\t");
        }
        let motion = read(&lines.join("\n"), None).expect("a motion");
        let ankle = motion.body().start(BodyPart::Foot(Side::Right)).expect("an ankle");
        let found = motion.positions[motion.names.len() * 2 + ankle];
        assert!(length(sub(found, [0.04, 0.08, 0.1])) < 1e-4, "{found:?}");
        assert!(motion.notes.iter().any(|note| note.contains("3 positions of markers")));
    }

    #[test]
    fn damaged_files_have_messages() {
        let valid = written(&JOINTS, 3);
        let change = |from: &str, to: &str| valid.replacen(from, to, 1);
        let cases = [
            (String::new(), "the file ends before its line of the type"),
            (change("PathFileType", "HIERARCHY"), "this is not a TRC file"),
            (change("DataRate", "Rate"), "this line has no DataRate"),
            (change("60.00", "fast"), "\"fast\" where DataRate should be"),
            (change("60.00", "0"), "0 frames a second"),
            (change("\t15\t", "\t14\t"), "NumMarkers is 14, and the line of the markers has 15"),
            (change("Frame#", "Marker"), "the line of the markers begins with Frame#"),
            (change("RKnee", ""), "NumMarkers is 15, and the line of the markers has 14"),
            (change("0.95000", "high"), "\"high\" where a position should be"),
            (change("0.95000", "inf"), "\"inf\" where a position should be"),
            (change("\n2\t", "\ntwo\t"), "\"two\" where the number of a frame"),
            (change("\n2\t", "\n2\tx"), "\"x0.0167\" where the time"),
            (change("\t0.95000\n", "\t0.95000\n"), ""),
            (valid[..valid.len() - 9].to_owned(), "\"LShoulder\" has 2 numbers"),
            (valid.lines().take(5).collect::<Vec<_>>().join("\n"), "there are no frames"),
            (
                valid.lines().take(3).collect::<Vec<_>>().join("\n"),
                "the file ends before its line of the markers",
            ),
            (valid.replace("Knee", "Thing"), "the markers are not those of a body"),
        ];
        for (text, message) in cases {
            match read(&text, None) {
                Ok(_) => assert_eq!(message, "", "{text}"),
                Err(error) => {
                    assert!(
                        !message.is_empty() && error.message.starts_with(message),
                        "{error} for {message}"
                    );
                    assert!(error.span.is_none_or(|span| text.get(span).is_some()));
                }
            }
        }
        for at in 0..valid.len() {
            let _ = read(&valid[..at], None);
        }
    }
}
