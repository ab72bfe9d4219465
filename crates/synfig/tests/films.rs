//! Films of `tests/synfig`, whole and broken: each gives a result or a message with a place, and rigs that load.

use std::io::Write as _;
use std::path::Path;
use std::sync::Arc;

use bone_format::diagnostic::Severity;
use bone_format::{InMemory, load, no_fonts};
use bone_synfig::{SynfigImport, SynfigOptions, import};

type Film = (String, Vec<u8>);

fn films() -> Vec<Film> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/synfig");
    let mut all: Vec<Film> = std::fs::read_dir(folder)
        .expect("tests/synfig")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|end| end == "sif"))
        .map(|path| {
            (
                path.file_name().expect("a name").to_string_lossy().into_owned(),
                std::fs::read(&path).expect("a film"),
            )
        })
        .collect();
    all.sort();
    assert!(all.len() > 15);
    all
}

fn made(name: &str, bytes: &[u8]) -> Result<SynfigImport, bone_synfig::SynfigError> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/synfig");
    let mut open = |name: &str| match name {
        "flag.png" => std::fs::read(folder.join(name)).map_err(|error| error.to_string()),
        _ => Err("there is none".to_owned()),
    };
    import(name, bytes, &SynfigOptions::new("film.svg", "film"), &mut open)
}

/// The messages of a rig with its drawing.
fn messages(made: &SynfigImport) -> Vec<String> {
    let files = InMemory::new().with("film.ron", made.rig.as_str()).with("film.svg", made.svg.as_str());
    let loaded = load("film.ron".as_ref(), Arc::new(files), &no_fonts);
    loaded
        .diagnostics
        .iter()
        .filter(|found| found.severity == Severity::Error)
        .map(|found| found.message.clone())
        .collect()
}

#[test]
fn every_film_loads_whole() {
    for (name, bytes) in films() {
        let made = made(&name, &bytes).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(made.losses, Vec::<String>::new(), "{name}");
        assert_eq!(messages(&made), Vec::<String>::new(), "{name}");
    }
}

/// What stays in the frame of a bone has no keys there, and the bones are those of the film.
#[test]
fn bones_are_bones() {
    let (name, bytes) = films().into_iter().find(|(name, _)| name == "bones.sif").expect("bones.sif");
    let rig = made(&name, &bytes).expect("a film").rig;
    let (bones, rest) = rig.split_once("    skin: [").expect("bindings");
    for line in [
        "\"upper\": (from: (80, 224), angle: -10, kind: Point)",
        // One unit, and a tenth up, from the start of its parent, which lies at 10 degrees: 80 pixels a unit.
        "\"fore\": (parent: \"upper\", from: (157.395, 202.23), angle: -20, kind: Point)",
        "\"hand\": (parent: \"fore\",",
        "inherit: TranslationOnly",
    ] {
        assert!(bones.contains(line), "{line}: {bones}");
    }
    let (skin, clips) = rest.split_once("    clips: {").expect("a clip");
    for (art, bone) in [("shield", "alone"), ("fin", "hand"), ("palm", "palm"), ("elbow", "elbow")] {
        assert!(skin.contains(&format!("Rigid(art: \"{art}\", bone: \"{bone}\")")), "{art}: {skin}");
    }
    assert!(clips.contains("\"hand\": (rotate: [(0, 0, Linear), (2, -90)])"), "{clips}");
    for still in ["palm", "elbow", "shield", "fin"] {
        assert!(!clips.contains(&format!("\"{still}\":")), "{still}: {clips}");
    }
    // A bone that carries itself, one that is not there, one that is chosen by time: a result, or a message.
    let text = String::from_utf8(bytes).expect("text");
    let parent =
        |n: u32| format!("<parent><bone_valuenode type=\"bone_object\" guid=\"{n:032X}\"/></parent>");
    for broken in [
        text.replacen(&parent(1), &parent(4), 1),
        text.replacen(&parent(2), &parent(99), 1),
        text.replace(&parent(3), "<parent/>"),
        text.replace("<bone_root type=\"bone_object\" guid=\"00000000000000000000000000000001\"/>", ""),
        text.replacen(&parent(2), &format!("<parent><animated type=\"bone_object\"><waypoint time=\"0s\">{0}</waypoint><waypoint time=\"1s\">{0}</waypoint></animated></parent>", &parent(2)[8..parent(2).len() - 9]), 1),
    ] {
        assert_ne!(broken, text);
        if let Ok(made) = made(&name, broken.as_bytes()) {
            assert_eq!(messages(&made), Vec::<String>::new());
        }
    }
}

#[test]
fn packed_films_give_the_same_rig() {
    let (name, bytes) = films().into_iter().find(|(name, _)| name == "groups.sif").expect("groups.sif");
    let plain = made(&name, &bytes).expect("a film");
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    gzip.write_all(&bytes).expect("gzip");
    let packed = made(&name, &gzip.finish().expect("gzip")).expect("a packed film");
    assert_eq!((&packed.rig, &packed.svg), (&plain.rig, &plain.svg));
    for deflated in [false, true] {
        let project = made(&name, &zip(&bytes, deflated)).expect("a project");
        assert_eq!((&project.rig, &project.svg), (&plain.rig, &plain.svg));
    }
}

/// A zip with one entry.
fn zip(bytes: &[u8], deflated: bool) -> Vec<u8> {
    let name = b"project.sifproj";
    let data = if deflated {
        let mut deflate = flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::default());
        deflate.write_all(bytes).expect("deflate");
        deflate.finish().expect("deflate")
    } else {
        bytes.to_vec()
    };
    let short = |n: usize| u16::try_from(n).expect("short").to_le_bytes();
    let long = |n: usize| u32::try_from(n).expect("long").to_le_bytes();
    let method = short(if deflated { 8 } else { 0 });
    let sizes = [long(data.len()), long(bytes.len())].concat();
    let mut all = b"PK\x03\x04".to_vec();
    all.extend(
        [&[20, 0, 0, 0][..], &method, &[0; 8], &sizes, &short(name.len()), &[0, 0], name, &data].concat(),
    );
    let directory = all.len();
    all.extend(b"PK\x01\x02");
    all.extend(
        [&[20, 0, 20, 0, 0, 0][..], &method, &[0; 8], &sizes, &short(name.len()), &[0; 16], name].concat(),
    );
    let size = all.len() - directory;
    all.extend(
        [&b"PK\x05\x06"[..], &[0, 0, 0, 0, 1, 0, 1, 0], &long(size), &long(directory), &[0, 0]].concat(),
    );
    all
}

/// Tangents and values of Synfig's own formula (`hermite.h`), for a waypoint between two others.
#[test]
fn waypoints_become_the_curves_of_synfig() {
    let film = |how: &str| {
        format!(
            r#"<canvas version="1.2" width="100" height="100" view-box="-5 5 5 -5" gamma-r="1" fps="10" end-time="3s">
            <layer type="circle" desc="ball"><param name="radius"><real value="1"/></param>
            <param name="origin"><animated type="vector">
            <waypoint time="0s" before="{how}" after="{how}"><vector><x>0</x><y>0</y></vector></waypoint>
            <waypoint time="1s" before="{how}" after="{how}"><vector><x>2</x><y>0</y></vector></waypoint>
            <waypoint time="3s" before="{how}" after="{how}"><vector><x>3</x><y>0</y></vector></waypoint>
            </animated></param></layer></canvas>"#
        )
    };
    let rig = |how: &str| made("film.sif", film(how).as_bytes()).expect("a film").rig;
    // 50 is the middle of the page, and a unit is 10 pixels.
    assert!(rig("constant").contains("(0, 50, Hold)"));
    assert!(
        rig("linear").contains("origin_x: (keys: [(0, 50), (1, 70), (3, 80)], ease: Linear)"),
        "{}",
        rig("linear")
    );
    assert!(rig("halt").contains("(0, 50, Bezier(0.3333, 0, 0.6667, 1))"));
    // TCB: the tangent is half of 3, 1.5; its factor is 1.5 * 1 / (0.5 * 1 + 2) = 0.6 before the point and
    // 1.5 * 2 / (0.5 * 2 + 1) = 1.5 behind it. So the handles are at 1 - 0.9 / 6 = 0.85 and 2.25 / 3 = 0.75.
    let tcb = rig("auto");
    assert!(tcb.contains("Bezier(0.3333, 0.3333, 0.6667, 0.85)"), "{tcb}");
    assert!(tcb.contains("Bezier(0.3333, 0.75, 0.6667, 0.6667)"), "{tcb}");
}

#[test]
fn what_is_left_out_has_a_line() {
    let film = "<canvas width=\"100\" height=\"100\">\n<layer type=\"noise\"/>\n<layer type=\"circle\">\n\
        <param name=\"radius\"><wobble type=\"real\"><link><real value=\"1\"/></link></wobble></param></layer></canvas>";
    let made = made("film.sif", film.as_bytes()).expect("a film");
    assert_eq!(made.losses, ["line 2: the layer noise", "line 4: the converter wobble"]);
}

#[test]
fn canvases_are_of_other_files_or_left_out() {
    let film =
        "<canvas>\n<layer type=\"group\"><param name=\"canvas\" canvas=\"b.sif#:x\"/></layer></canvas>";
    let other = r#"<canvas><defs><canvas id="x"><layer type="circle"><param name="radius"><real value="1"/></param></layer></canvas></defs></canvas>"#;
    let options = SynfigOptions::new("film.svg", "film");
    let found = import("film.sif", film.as_bytes(), &options, &mut |name| match name {
        "b.sif" => Ok(other.as_bytes().to_vec()),
        _ => Err("there is none".to_owned()),
    });
    let found = found.expect("a film");
    assert!(found.losses.is_empty() && found.svg.contains("<path"), "{:?}", found.losses);
    let missing = made("film.sif", film.as_bytes()).expect("a film").losses;
    assert!(missing.iter().any(|loss| loss == "line 2: a group whose canvas is not there"), "{missing:?}");
}

/// Pictures are those of the folder or of the archive; others are left out with the reason.
#[test]
fn pictures_are_in_the_drawing_or_left_out() {
    let film = |name: &str| {
        format!(
            "<canvas>\n<layer type=\"import\"><param name=\"filename\"><string>{name}</string></param>\
             <param name=\"tl\"><vector><x>-1</x><y>1</y></vector></param><param name=\"br\"><vector><x>1</x><y>-1</y></vector></param></layer></canvas>"
        )
    };
    let found = made("film.sif", film("flag.png").as_bytes()).expect("a film");
    assert!(
        found.losses.is_empty() && found.svg.contains("href=\"data:image/png;base64,iVBOR"),
        "{:?}",
        found.losses
    );
    assert_eq!(messages(&found), Vec::<String>::new());
    for (name, why) in
        [("other.png", "there is none"), ("#images/flag.png", "this file is none"), ("", "there is none")]
    {
        let losses = made("film.sif", film(name).as_bytes()).expect("a film").losses;
        assert!(
            losses.len() == 1 && losses[0].starts_with("line 2: an image") && losses[0].contains(why),
            "{losses:?}"
        );
    }
    let options = SynfigOptions::new("film.svg", "film");
    let text = import("film.sif", film("notes.txt").as_bytes(), &options, &mut |_| Ok(b"notes".to_vec()));
    assert!(text.expect("a film").losses[0].contains("neither PNG"));
    let huge = import("film.sif", film("huge.png").as_bytes(), &options, &mut |_| Ok(vec![0; 65 << 20]));
    assert!(huge.expect("a film").losses[0].contains("64 MB"));
}

/// Gradients of thousands of stops, beside splines of thousands of points, and repeated without end are bounded.
#[test]
fn bands_of_large_gradients_end() {
    let stops = |count: usize| -> String {
        let stop = |n: usize| {
            format!(
                "<color pos=\"{}\"><r>{}</r><g>0</g><b>0</b><a>1</a></color>",
                n as f64 / count as f64,
                n % 2
            )
        };
        format!(
            "<param name=\"gradient\"><gradient>{}</gradient></param>",
            (0..count).map(stop).collect::<String>()
        )
    };
    let spline = |count: usize| -> String {
        let vector =
            |x: usize, y: usize| format!("<vector><x>{}</x><y>{y}</y></vector>", x as f64 / count as f64);
        let point = |n: usize| {
            format!(
                "<entry><composite type=\"bline_point\"><point>{}</point><width><real value=\"1\"/></width><t1>{}</t1></composite></entry>",
                vector(n, n % 3),
                vector(1, 1)
            )
        };
        format!("<param name=\"bline\"><bline>{}</bline></param>", (0..count).map(point).collect::<String>())
    };
    let film =
        |layer: &str| made("film.sif", format!("<canvas>{layer}</canvas>").as_bytes()).expect("a film");
    for count in [12, 40, 5000] {
        let made = film(&format!("<layer type=\"conical_gradient\">{}</layer>", stops(count)));
        let bands = made.svg.matches("<path").count();
        assert!((12..=320).contains(&bands), "{count} stops, {bands} bands");
        assert_eq!(made.losses.len(), usize::from(count > 200), "{:?}", made.losses);
    }
    for (points, width, loops) in [(3, 1e-7, true), (3000, 0.5, false), (300, 0.01, true)] {
        let made = film(&format!(
            "<layer type=\"curve_gradient\">{}{}<param name=\"width\"><real value=\"{width}\"/></param><param name=\"loop\"><bool value=\"{loops}\"/></param></layer>",
            stops(2),
            spline(points)
        ));
        assert_eq!(made.losses.len(), usize::from(loops), "{points} points: {:?}", made.losses);
        assert_eq!(messages(&made), Vec::<String>::new());
    }
}

/// An order that changes beside a layer that takes those below it along is left out; one that stays is not.
#[test]
fn depths_change_the_order_or_are_left_out() {
    let disc = |x: f64, depth: &str| {
        format!(
            "<layer type=\"circle\" desc=\"at {x}\"><param name=\"z_depth\">{depth}</param>\
             <param name=\"radius\"><real value=\"1\"/></param><param name=\"origin\"><vector><x>{x}</x><y>0</y></vector></param></layer>"
        )
    };
    let keys = |to: f64| {
        format!(
            "<animated type=\"real\"><waypoint time=\"0s\" after=\"constant\"><real value=\"0\"/></waypoint>\
             <waypoint time=\"1s\" before=\"constant\"><real value=\"{to}\"/></waypoint></animated>"
        )
    };
    let film = |to: f64, between: &str| {
        let discs = disc(0.0, &keys(to)) + between + &disc(1.0, "<real value=\"0\"/>");
        made("film.sif", format!("<canvas fps=\"4\" end-time=\"1s\">{discs}</canvas>").as_bytes())
            .expect("a film")
    };
    let moved = film(-2.0, "");
    assert!(moved.losses.is_empty() && moved.rig.contains("order: [(0, 0), (1, 1)]"), "{}", moved.rig);
    assert!(!film(2.0, "").rig.contains("order"));
    let blur = "<layer type=\"blur\"/>";
    assert!(film(2.0, blur).losses.is_empty());
    assert!(
        film(-2.0, blur).losses.iter().any(|loss| loss.contains("depth")),
        "{:?}",
        film(-2.0, blur).losses
    );
}

#[test]
fn names_of_thousands_of_layers_take_no_longer_than_each_alone() {
    let circle = "<layer type=\"circle\"><param name=\"radius\"><real value=\"1\"/></param></layer>";
    let layers = circle.repeat(20_000);
    let made = made("film.sif", format!("<canvas>{layers}</canvas>").as_bytes()).expect("a film");
    assert!(made.svg.contains("\"circle\"") && made.svg.contains("\"circle_20000\""));
}

#[test]
fn rings_and_depths_end() {
    let ring = r#"<canvas><defs><add type="real" id="a" lhs=":b" rhs=":b"/><add type="real" id="b" lhs=":a" rhs=":a"/></defs>
        <layer type="circle"><param name="radius" use=":a"/></layer></canvas>"#;
    made("film.sif", ring.as_bytes()).expect("a ring has no value");
    let within = r#"<canvas><layer type="group"><param name="canvas" use=":"/></layer></canvas>"#;
    assert!(!made("film.sif", within.as_bytes()).expect("a picture").losses.is_empty());
    let deep = format!("<canvas>{}{}</canvas>", "<a>".repeat(5000), "</a>".repeat(5000));
    let error = made("film.sif", deep.as_bytes()).expect_err("too deep");
    assert!(error.to_string().contains("nested"), "{error}");
    let long = r#"<canvas fps="60" end-time="9h"/>"#;
    assert!(made("film.sif", long.as_bytes()).expect_err("too long").to_string().contains("frames"));
}

#[test]
fn mutated_films_give_a_result_or_a_message() {
    let films = films();
    let cases: u64 = std::env::var("CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(150);
    let seed: u64 = std::env::var("SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(7);
    // Knuth's generator (MMIX).
    let mut state = seed;
    let mut random = move |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below.max(1)
    };
    let words: [&str; 12] = [
        "1e308",
        "-1",
        "nan",
        "0",
        "true",
        "\"",
        "<",
        "type=\"",
        ":a",
        "999999999999",
        "</param>",
        "use=\":\"",
    ];
    for case in 0..cases {
        let (name, bytes) = &films[random(films.len())];
        let mut text = bytes.clone();
        for _ in 0..=random(4) {
            let at = random(text.len());
            match random(4) {
                0 => text[at] = u8::try_from(random(256)).unwrap_or(0),
                1 => drop(text.drain(at..(at + random(40)).min(text.len()))),
                2 => drop(text.splice(at..at, words[random(words.len())].bytes())),
                _ => {
                    // A value of an attribute becomes another one.
                    let from = text[at..].iter().position(|byte| *byte == b'"').map_or(at, |by| at + by + 1);
                    let to = text[from.min(text.len())..]
                        .iter()
                        .position(|byte| *byte == b'"')
                        .map_or(from, |by| from + by);
                    drop(text.splice(from.min(to)..to, words[random(5)].bytes()));
                }
            }
        }
        match made(name, &text) {
            Ok(made) => {
                let wrong = messages(&made);
                assert!(wrong.is_empty(), "{name}, case {case}: {wrong:?}");
            }
            Err(error) => assert!(!error.message.is_empty()),
        }
    }
}

/// A line that grows out of nothing, and one that has never a width while its colour changes: the drawing keeps no line
/// of width 0.
#[test]
fn lines_without_width_load() {
    let waypoints = |kind: &str, values: [&str; 2]| {
        let at = |time: usize, value: &str| format!("<waypoint time=\"{time}s\">{value}</waypoint>");
        format!("<animated type=\"{kind}\">{}{}</animated>", at(0, values[0]), at(1, values[1]))
    };
    let color = |r: &str, g: &str| format!("<color><r>{r}</r><g>{g}</g><b>0</b><a>1</a></color>");
    let (_, ink) = films().into_iter().find(|(name, _)| name == "ink.sif").expect("ink.sif");
    let ink = String::from_utf8(ink).expect("text");
    let first = ink.find("</layer>").expect("a layer") + "</layer>".len();
    let ink = ink[..first].replace("end-time=\"0f\"", "end-time=\"1s\"") + "</canvas>";
    for last in ["0", "0.5"] {
        let width = waypoints("real", ["<real value=\"0\"/>", &format!("<real value=\"{last}\"/>")]);
        let colors = waypoints("color", [&color("1", "0"), &color("0", "1")]);
        let film = ink
            .replace("<real value=\"0.3\"/>", &width)
            .replace("<param name=\"expand\"><real value=\"0.02\"/></param>", "")
            .replace("<color><r>0.1</r><g>0.3</g><b>0.8</b><a>1</a></color>", &colors);
        let made = made("film.sif", film.as_bytes()).expect("a film");
        assert_eq!(messages(&made), Vec::<String>::new(), "to {last}: {}\n{}", made.svg, made.rig);
        assert_eq!(made.rig.contains("stroke_width"), last != "0", "{}", made.rig);
    }
}

/// Dashes that begin beyond the line, and come: where there are none, no shape of the switch is chosen.
#[test]
fn shapes_that_are_nothing_at_first_load() {
    let (_, dashes) = films().into_iter().find(|(name, _)| name == "dashes.sif").expect("dashes.sif");
    let dashes = String::from_utf8(dashes).expect("text");
    let offset = "<offset><real value=\"0.2\"/></offset>";
    assert!(dashes.contains(offset));
    let comes = "<offset><animated type=\"real\"><waypoint time=\"0s\" after=\"constant\"><real value=\"5.2\"/></waypoint>\
                 <waypoint time=\"0.5s\" before=\"constant\"><real value=\"0.2\"/></waypoint></animated></offset>";
    let made = made("film.sif", dashes.replace(offset, comes).as_bytes()).expect("a film");
    assert_eq!(messages(&made), Vec::<String>::new(), "{}\n{}", made.svg, made.rig);
    assert!(!made.svg.contains("d=\"\""), "{}", made.svg);
}
