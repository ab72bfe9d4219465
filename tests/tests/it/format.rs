//! The reference of the format is correct: its tables are those of the schema, every listed field is read, its
//! example loads, and the reader has no other fields.

use std::fmt::Write as _;

use bone_format::diagnostic::Diagnostics;
use bone_format::span::SourceId;
use bone_format::{FormatField, FormatTable, InMemory, load, no_fonts};
use bone_layer_tests::files::root;
use bone_layer_tests::renew;
use std::sync::Arc;

const YAW: &str = "\"yaw\": (range: (-30, 30))";
const WARPS: &str = "warps: {\"head\": (art: \"face\")}";

/// A rig around what is asked: bones, constraints and clips that examples speak of, and one more of
/// everything, open for fields.
fn around(table: &str, field: &str, inside: &str) -> String {
    let bones = r#"
        "hip": (from: (200, 300), to: (200, 260)), "chest": (parent: "hip", length: 60), "head": (parent: "chest", length: 40),
        "upper.L": (parent: "chest", from: (230, 210), to: (280, 240)), "fore.L": (parent: "upper.L", to: (330, 250)),
        "shin": (parent: "hip", length: 60), "foot": (parent: "shin", length: 20), "hand": (parent: "fore.L", length: 9),
        "door": (from: (400, 200), to: (400, 300)), "dog": (parent: "door", length: 60),"#;
    let constraints = r#"
        Aim(name: "look", bone: "head", target: (320, 90)), Ik(name: "reach", tip: "fore.L", target: (320, 90)),
        Pin(name: "plant", bone: "foot"), Path(name: "ride", bones: ["dog"], art: "track"),
        Distance(name: "leash", bone: "dog", target: "fore.L", distance: 99),"#;
    // They conflict with each other, so they exist only if a clip names them.
    let constraints = if ["Clip", "Rules", "Hold"].contains(&table) { constraints } else { "" };
    let clips = r#"
        "walk": (loop: true, bones: {"hip": (move: [(0, (0, 0)), (1, (0, 6)), (2, (0, 0))])}),
        "wave": (bones: {"fore.L": (rotate: [(0, 0), (1, 60)])}),"#;
    // Which of the constraints above have such a channel.
    let ruled = match field {
        "bend" | "softness" => "reach",
        "position" => "ride",
        "distance" => "leash",
        "holds" => "plant",
        _ => "look",
    };
    let poses = r#""contact": (bones: {"hip": (move_y: 4)}), "passing": (bones: {"hip": (move_y: -6)}),
        "fist.L": (bones: {"hand": (rotate: 80)}),"#;
    let poses = if ["Clip", "PoseKeys"].contains(&table) { poses } else { "" };
    let (mut more_poses, mut skin, mut own) = (String::new(), String::new(), String::new());
    let (mut more_bones, mut more_constraints, mut more_clips) =
        (String::new(), String::new(), String::new());
    let scene = |actors: &str, shots: &str| {
        format!(
            r#"Scene(version: 1, drawing: "street.svg", actors: {{"hero": (rig: "hero.ron"), {actors}}}, shots: {{{shots}}})"#
        )
    };
    match table {
        "Rig" => return format!("Rig({inside})"),
        "Scene" => return format!("Scene({inside})"),
        "Actor" => return scene(&format!("\"new\": ({inside})"), ""),
        "SceneShot" => return scene("", &format!("\"new\": ({inside})")),
        "Role" => return scene("", &format!("\"new\": (length: 3, actors: {{\"hero\": ({inside})}})")),
        "Bone" => {
            more_bones = format!("\"new\": ({inside})");
            if ["grip", "turn"].contains(&field) {
                skin = "Puppet(art: \"cape\", pins: [\"new\"])".to_owned();
            }
        }
        "Rigid" | "Smooth" | "Explicit" | "Puppet" => skin = format!("{table}({inside})"),
        "Stroke" => skin = format!("Smooth(art: \"shirt\", brush: [({inside})])"),
        "Ink" => own = format!("ink: {{\"cape\": ({inside})}}"),
        "Warp" => {
            own = format!(
                "warps: {{\"head\": (art: \"cape\"), \"new\": ({inside})}}, forms: [(by: [\"yaw\"], at: {{30: (warps: \
                {{\"head\": {{(1, 1): (9, 0)}}, \"new\": {{(1, 1): (9, 0)}}}})}})]"
            )
        }
        "Mask" => own = format!("masks: [({inside})]"),
        "Forms" => own = format!("{WARPS}, forms: [({inside})]"),
        "Form" => {
            let warps = if field == "warps" { WARPS } else { "" };
            own = format!("{warps}, forms: [(by: [\"yaw\"], at: {{30: ({inside})}})]")
                .trim_start_matches([',', ' '])
                .to_owned();
        }
        "Clip" => more_clips = format!("\"new\": ({inside})"),
        "Pose" => more_poses = format!("\"new\": ({inside})"),
        "PosedBone" => more_poses = format!("\"new\": (bones: {{\"hand\": ({inside})}})"),
        "PosedArt" => more_poses = format!("\"new\": (art: {{\"mouth\": ({inside})}})"),
        "PoseKeys" => more_clips = format!("\"new\": (poses: {{\"contact\": ({inside})}})"),
        "Sound" => more_clips = format!("\"new\": (length: 2, sounds: [({inside})])"),
        "Channels" => more_clips = format!("\"new\": (bones: {{\"hand\": ({inside})}}, length: 2)"),
        "Offset" => {
            let inside = inside.replace("(0, 0), (0.5, 20)", "(0, (0, 0)), (0.5, (2, 0))");
            more_clips = format!("\"new\": (offsets: {{\"cape\": {{1: ({inside})}}}})");
        }
        "Keys" => {
            let followed = "rotate: [(0, 0), (1, 9)], move_y: [(0, 0)]";
            more_clips =
                format!("\"new\": (bones: {{\"hand\": (rotate: ({inside})), \"fore.L\": ({followed})}})");
        }
        "Art" => more_clips = format!("\"new\": (art: {{\"mouth\": ({inside})}}, length: 2)"),
        "Rules" => more_clips = format!("\"new\": (constraints: {{\"{ruled}\": ({inside})}}, length: 2)"),
        "Hold" => {
            more_clips = format!("\"new\": (constraints: {{\"plant\": (holds: [({inside})])}}, length: 2)")
        }
        "Shot" => own = format!("shots: {{\"new\": ({inside})}}"),
        "Play" => own = format!("shots: {{\"new\": (play: [\"walk\", ({inside})])}}"),
        "Layer" => own = format!("shots: {{\"new\": (play: [\"walk\"], layers: [({inside})])}}"),
        "Machine" => own = format!("machines: {{\"new\": ({inside})}}"),
        "MachineLayer" => {
            own = format!(
                "machines: {{\"new\": (inputs: {{\"speed\": 0}}, states: {{\"idle\": ()}}, layers: [({inside})])}}"
            )
        }
        "State" => {
            own =
                format!("machines: {{\"new\": (inputs: {{\"speed\": 0}}, states: {{\"idle\": ({inside})}})}}")
        }
        "Blended" => {
            let other = "(at: 9, clip: \"walk\")";
            own = format!(
                "machines: {{\"new\": (inputs: {{\"speed\": 0}}, states: {{\"idle\": (by: [\"speed\"], blend: [{other}, ({inside})])}})}}"
            );
        }
        "Transition" => {
            let inputs = "\"speed\": 0, \"grounded\": true, \"jump\": Trigger";
            let states = "\"walk\": (clip: \"walk\"), \"jump\": ()";
            own = format!(
                "machines: {{\"new\": (inputs: {{{inputs}}}, states: {{{states}}}, transitions: [({inside})])}}"
            );
        }
        "Outfit" => {
            let stick = "name: \"stick\", bone: \"dog\", target: (1, 2)";
            more_constraints = format!("Aim({stick})");
            own = format!("springs: [(chain: \"fore.L\")], outfits: {{\"new\": ({inside})}}")
        }
        "Slider" => own = format!("sliders: {{\"new\": ({inside})}}"),
        "Camera" => more_clips = format!("\"new\": (length: 2, camera: ({inside}))"),
        "Gradient" => more_clips = format!("\"new\": (length: 2, paints: {{\"sky\": ({inside})}})"),
        "Filter" => more_clips = format!("\"new\": (length: 2, filters: {{\"glow\": ({inside})}})"),
        "Driver" => own = format!("drivers: [({inside})]"),
        "Spring" => own = format!("springs: [({inside})]"),
        "Wind" => own = format!("springs: [(chain: \"fore.L\", wind: ({inside}))]"),
        "Stop" => own = format!("springs: [(chain: \"fore.L\", stop: ({inside}))]"),
        "End" => more_constraints = format!("Ik(tip: \"head\", target: (1, 2), also: [({inside})])"),
        "Constraint" => more_constraints = format!("Aim(bone: \"dog\", target: (1, 2), {inside})"),
        kind => more_constraints = format!("{kind}({inside})"),
    }
    let sliders = match table {
        "Slider" => String::new(),
        _ => format!("sliders: {{\"smile\": (range: (-1, 1)), {YAW}}}, "),
    };
    format!(
        "Rig(version: 1, drawing: \"a.svg\", {sliders}bones: {{{bones}{more_bones}}}, skin: [{skin}], \
        constraints: [{constraints}{more_constraints}], poses: {{{poses}{more_poses}}}, clips: {{{clips}{more_clips}}}, {own})"
    )
}

/// Fields beside which one makes sense, with what it stands in place of left out.
fn company<'t>(table: &'t FormatTable, field: &FormatField) -> Vec<&'t FormatField> {
    let needed = |other: &&FormatField| other.default.is_none();
    let find = |name: &str| table.fields.iter().find(|field| field.name == name);
    let mut beside: Vec<&FormatField> = table.fields.iter().filter(needed).collect();
    match (table.name, field.name) {
        ("Bone", "to") => beside.extend(find("from")),
        ("Bone", "from" | "parent" | "origin") => {
            beside.extend([find("length"), find("parent")].into_iter().flatten())
        }
        ("Bone", "line") => {}
        ("Bone", _) => beside.extend([find("from"), find("length")].into_iter().flatten()),
        ("Clip", "bones" | "offsets") => {}
        ("Clip", "phase") => beside.extend([find("length"), find("loop")].into_iter().flatten()),
        ("Clip", _) => beside.extend(find("length")),
        ("Keys", "follow") => {}
        ("Keys", "channel") => beside.extend(find("follow")),
        ("Keys" | "Offset", _) => beside.extend(find("keys")),
        ("Copy" | "Limit", _) => beside.extend(find("rotate")),
        ("Driver", "bone" | "slider") => beside.extend(find("offsets")),
        ("Driver", "value") => beside.extend([find("bone"), find("offsets")].into_iter().flatten()),
        ("Driver", _) => beside.extend(find("bone")),
        ("Spring", "bones") => {}
        ("Spring", _) => beside.extend(find("chain")),
        ("Machine" | "MachineLayer", _) => {
            beside.extend([find("inputs"), find("states")].into_iter().flatten())
        }
        ("State", "by") => beside.extend(find("blend")),
        ("State", "blend") => beside.extend(find("by")),
        ("State", "sync") => beside.extend([find("by"), find("blend")].into_iter().flatten()),
        ("Stroke", "smooth") => {}
        ("Stroke", _) => beside.extend([find("bone"), find("add")].into_iter().flatten()),
        ("Stop", "at" | "bone") => beside.extend(find("radius")),
        ("Actor", "under") => beside.extend(find("on")),
        ("Actor", "start" | "speed") => beside.extend(find("clip")),
        ("Scene", "shots") => beside.extend(find("actors")),
        ("SceneShot", "actors" | "camera" | "sounds") => beside.extend(find("length")),
        ("Rig", "wear") => beside.extend(find("outfits")),
        ("Rig", "shots") => beside.extend([find("bones"), find("clips")].into_iter().flatten()),
        _ => {}
    }
    beside.retain(|other| other.name != field.name);
    beside
}

/// All tables of rigs and scenes.
fn tables() -> Vec<FormatTable> {
    bone_format::format().into_iter().chain(bone_format::scene_format()).collect()
}

/// What loading a scene finds, with the files that examples name.
fn messages_of_scene(text: &str) -> (Vec<String>, Vec<String>) {
    let svg =
        |art: &str| format!(r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 90 90">{art}</svg>"#);
    let hero = r#"Rig(version: 1, drawing: "hero.svg", bones: {"hand.R": (from: (9, 9), to: (20, 9))},
        skin: [Rigid(art: "fingers", bone: "hand.R")], clips: {"walk": (length: 1, loop: true, bones: {"hand.R": (rotate: [(0, 0)])}),
        "idle": (length: 1, bones: {"hand.R": (rotate: [(0, 5)])})}, outfits: {"winter": (hide: ["sky"])})"#;
    let files = InMemory::new()
        .with("hero.ron", hero)
        .with("hero.svg", svg(r#"<path id="sky" d="M0 0h9v9z"/><path id="fingers" d="M9 0h9v9z"/>"#))
        .with("street.svg", svg(r#"<path id="lamp" d="M0 0h9v9z"/>"#))
        .with("street.ogg", "")
        .with("hello.ogg", "")
        .with("scene.ron", text);
    let loaded = load("scene.ron".as_ref(), Arc::new(files), &no_fonts);
    let all = || loaded.diagnostics.iter();
    (all().map(|it| it.message.clone()).collect(), all().flat_map(|it| it.help.iter().cloned()).collect())
}

fn messages(text: &str) -> (Vec<String>, Vec<String>) {
    if text.starts_with("Scene(") {
        return messages_of_scene(text);
    }
    let mut diagnostics = Diagnostics::new();
    let doc = bone_format::read(SourceId::default(), text, &mut diagnostics).expect("a rig");
    if diagnostics.is_empty() {
        bone_format::check(&doc, &mut diagnostics);
    }
    let all: Vec<_> = diagnostics.iter().collect();
    let help = all.iter().flat_map(|d| d.help.iter().cloned()).collect();
    (all.iter().map(|d| d.message.clone()).collect(), help)
}

/// The lines of a table of the reference.
fn lines(table: &FormatTable) -> String {
    let mut out =
        format!("| **{}** | type | default | example | meaning |\n|---|---|---|---|---|\n", table.name);
    for FormatField { name, of, default, example, meaning, .. } in &table.fields {
        let _ = writeln!(
            out,
            "| `{name}` | {of} | {} | `{example}` | {meaning} |",
            default.unwrap_or("required")
        );
    }
    out
}

/// With `RENEW=1` the tables of the reference are written again.
#[test]
fn the_tables_of_the_reference_are_those_of_the_schema() {
    let path = root().join("crates/rig-format/FORMAT.md");
    let before = std::fs::read_to_string(&path).expect("the reference");
    let (mut after, mut seen) = (String::new(), Vec::new());
    let mut in_table = false;
    for line in before.split_inclusive('\n') {
        if let Some((name, _)) = line.strip_prefix("| **").and_then(|rest| rest.split_once("** | type |")) {
            let table = tables().into_iter().find(|table| table.name == name);
            after += &lines(&table.unwrap_or_else(|| panic!("the format has no table {name}")));
            seen.push(name.to_owned());
            in_table = true;
        }
        in_table &= line.starts_with('|');
        if !in_table {
            after += line;
        }
    }
    for table in tables() {
        assert!(seen.iter().any(|name| name == table.name), "the reference has no table {}", table.name);
    }
    if renew() {
        std::fs::write(path, after).expect("the reference is written");
    } else {
        assert!(before == after, "FORMAT.md differs from the schema: RENEW=1 writes its tables again");
    }
}

#[test]
fn the_codes_of_the_reference_are_those_of_the_program() {
    let reference =
        std::fs::read_to_string(root().join("crates/rig-format/FORMAT.md")).expect("the reference");
    let (_, table) = reference.split_once("| code | finding |\n|---|---|\n").expect("the table of codes");
    let (table, _) = table.split_once("\n\n").expect("its end");
    let codes = bone_format::diagnostic::CODES.map(|(code, meaning)| format!("| `{code}` | {meaning} |"));
    assert_eq!(table, codes.join("\n"));
}

#[test]
fn every_example_of_the_reference_loads() {
    let (mut seen, mut wrong) = (0, String::new());
    for table in tables() {
        for field in &table.fields {
            assert!(
                !field.example.is_empty() && !field.meaning.is_empty() && !field.of.is_empty(),
                "{field:?}"
            );
            let written = |field: &FormatField| format!("{}: {}", field.name, field.example);
            let all: Vec<String> =
                company(&table, field).into_iter().map(written).chain([written(field)]).collect();
            let mut inside = all.join(", ");
            if table.name == "Rig" {
                // Everything that the examples name, without the tested field.
                inside = whole_with(field, inside);
            }
            let text = around(table.name, field.name, &inside);
            let (messages, help) = messages(&text);
            if !messages.is_empty() {
                wrong += &format!("{} of {}: {messages:?} {help:?}\n{inside}\n", field.name, table.name);
            }
            seen += 1;
        }
    }
    println!("{seen} fields");
    assert!(wrong.is_empty(), "{wrong}");
    assert!(seen > 160, "{seen} fields");
}

/// Adds the bones and clips that the examples of fields name.
fn whole_with(field: &FormatField, inside: String) -> String {
    let bones = r#"bones: {"hip": (from: (0, 0), length: 9), "chest": (parent: "hip", length: 9), "head": (parent: "chest", length: 9),
        "fore.L": (parent: "chest", length: 9)}"#;
    let clips = "clips: {\"walk\": (length: 1)}";
    match field.name {
        "bones" => inside.replace("{\"nose\"", "{\"hip\": (from: (0, 0), length: 9), \"nose\""),
        "shots" => {
            let shots = field.example;
            format!("version: 1, drawing: \"hero.svg\", shots: {shots}, {bones}, {clips}")
        }
        "machines" => format!("{inside}, {bones}, {clips}"),
        "warps" => {
            let forms = "forms: [(by: [\"yaw\"], at: {30: (warps: {\"head\": {(1, 1): (9, 0)}})})]";
            format!("{inside}, {bones}, sliders: {{{YAW}}}, {forms}")
        }
        "forms" => format!("{inside}, {bones}, sliders: {{{YAW}}}, {WARPS}"),
        _ => format!("{inside}, {bones}"),
    }
}

#[test]
fn the_reader_knows_the_fields_of_the_reference_and_no_others() {
    let tables = tables();
    let fields = |name: &str| -> Vec<&str> {
        let table = tables.iter().find(|table| table.name == name).expect("a table");
        table.fields.iter().map(|field| field.name).collect()
    };
    for table in &tables {
        // An unknown field: the error lists the known ones.
        let text = around(table.name, "", "zzz: 1");
        let (messages, help) = messages(&text);
        assert!(messages.iter().any(|message| message.contains("no field `zzz`")), "{messages:?}\n{text}");
        let known = help.iter().find(|help| help.starts_with("its fields are ")).expect("the fields");
        let mut known: Vec<&str> = known.split('`').skip(1).step_by(2).collect();
        let mut listed = fields(table.name);
        match table.name {
            "Ik" | "Pin" | "Aim" | "Copy" | "Limit" | "Path" | "Distance" => {
                listed.extend(fields("Constraint"))
            }
            "Constraint" => listed.extend(fields("Aim")),
            _ => {}
        }
        known.sort_unstable();
        listed.sort_unstable();
        assert_eq!(known, listed, "{}", table.name);
    }
}

#[test]
fn the_values_of_the_reference_are_those_of_the_reader() {
    let mut seen = 0;
    for table in tables() {
        for field in
            table.fields.iter().filter(|field| field.words().count() > 1 && !field.of.contains("keys of"))
        {
            let beside = company(&table, field);
            let beside: Vec<String> =
                beside.into_iter().map(|field| format!("{}: {}", field.name, field.example)).collect();
            let text = |value: &str| {
                let inside = beside.join(", ") + ", " + field.name + ": " + value;
                let inside = if table.name == "Rig" { whole_with(field, inside) } else { inside };
                around(table.name, field.name, &inside)
            };
            for word in field.words() {
                let (messages, _) = messages(&text(word));
                // Some make sense with other fields alone; none is unknown.
                assert!(!messages.iter().any(|m| m.contains("cannot be")), "{word}: {messages:?}");
                seen += 1;
            }
            let (_, help) = messages(&text("Zzz"));
            let known = help.iter().find(|help| help.starts_with("write one of ")).map(String::as_str);
            let Some(known) = known else { continue };
            for known in known.split('`').skip(1).step_by(2) {
                let listed = field.words().any(|word| word == known);
                // `clip` applies only to art with automatic weights.
                assert!(listed || table.name == "Explicit" || table.name == "Pin", "{}: {known}", field.name);
            }
        }
    }
    assert!(seen > 50, "{seen} words");
}
