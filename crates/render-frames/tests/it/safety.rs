//! Untrusted files, names and numbers: what is read and written, what reaches the terminal, and ends that are
//! neither a panic nor a wait.

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::command::{FLAG_RIG, FLAG_SVG, Ran, SmallDisk, below, command, expect, finish, flag, names, run};

/// Every command with arguments that make it write to standard output, or `None` if it writes files only.
fn commands(rig: &str, drawing: &str) -> Vec<(&'static str, Option<Vec<String>>)> {
    let words = |words: &[&str]| Some(words.iter().map(|word| (*word).to_owned()).collect());
    vec![
        ("render", words(&[rig, "-o", "-", "--format", "svg", "--frames", "0"])),
        ("assemble", None),
        ("init", words(&[drawing, "-o", "-"])),
        ("check", words(&[rig, "--json"])),
        ("live", words(&[rig, "--no-open"])),
        ("watch", None),
        // It answers an editor, and nothing without one.
        ("lsp", None),
        ("inspect", words(&[rig, "--json"])),
        ("events", words(&[rig])),
        ("sheet", None),
        ("onion", None),
        ("plot", None),
        ("weights", words(&[rig, "--json"])),
        ("import", None),
        ("transitions", words(&[rig, "wave", "droop", "--fade", "0.1"])),
        ("presets", words(&[])),
        ("pack", None),
        ("format", words(&["--schema"])),
        ("convert", words(&[rig])),
        ("completions", words(&["bash"])),
        ("man", words(&[])),
    ]
}

/// A rig that bends, so that weights are printed, and a recording.
fn everything() -> (tempfile::TempDir, String, String, String) {
    let (folder, rig) = flag();
    let text = FLAG_RIG.replace("Rigid(art: \"flag\", bone: \"pole\")", "Smooth(art: [\"flag\"])");
    std::fs::write(&rig, text).expect("the rig");
    let drawing = below(&folder, "flag.svg");
    (folder, rig, drawing, crate::command::repository("examples/mocap/walk.bvh"))
}

#[test]
fn every_command_reports_a_full_disk_and_a_closed_pipe() {
    let (_folder, rig, drawing, _) = everything();
    let all = commands(&rig, &drawing);
    // No command is missing here.
    let help = expect(0, &["--help"]).out;
    let listed = help.lines().skip_while(|line| !line.starts_with("Commands:")).skip(1);
    let listed: Vec<&str> = listed.map_while(|line| line.strip_prefix("  ")).collect();
    // Longer texts go on below.
    let listed: Vec<&str> = listed
        .into_iter()
        .filter(|line| !line.starts_with(' '))
        .filter_map(|line| line.split_whitespace().next())
        .collect();
    let known: Vec<&str> = all.iter().map(|(name, _)| *name).chain(["help"]).collect();
    assert_eq!(listed, known);
    let mut lines: Vec<Vec<String>> = [
        &["--help"][..],
        &["--version"],
        &["help", "render"],
        &["check", "--help"],
        &["check", &rig],
        &["inspect", &rig],
    ]
    .iter()
    .map(|words| words.iter().map(|word| (*word).to_owned()).collect())
    .collect();
    lines.extend(all.into_iter().filter_map(|(name, words)| Some([vec![name.to_owned()], words?].concat())));
    for words in lines {
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        if Path::new("/dev/full").exists() {
            let full = std::fs::File::options().write(true).open("/dev/full").expect("it");
            let ran = finish(command(&words).stdout(full).stderr(Stdio::piped()).spawn().expect("it"));
            assert_eq!(ran.code, Some(1), "{words:?}: {ran:?}");
            assert!(ran.err.contains("standard output"), "{words:?}: {}", ran.err);
        }
        let (reader, writer) = std::io::pipe().expect("a pipe");
        drop(reader);
        let ran = finish(command(&words).stdout(writer).stderr(Stdio::piped()).spawn().expect("it"));
        assert_eq!(ran.code, Some(141), "{words:?}: {ran:?}");
    }
}

#[test]
fn every_command_reports_a_full_disk_under_its_files() {
    let (folder, rig, drawing, motion) = everything();
    let Some(disk) = SmallDisk::mount(folder.path().join("disk")) else {
        crate::command::skip(
            "every_command_reports_a_full_disk_under_its_files",
            "a small disk, which may not be mounted here",
            None,
        );
        return;
    };
    let fill = disk.0.join("fill");
    // Until nothing more fits.
    let mut file = std::fs::File::create(&fill).expect("a file");
    while file.write(&[0; 4096]).is_ok_and(|written| written > 0) {}
    let frames = below(&folder, "frames/");
    expect(0, &[&rig, "-q", "-o", &frames]);
    let to = |name: &str| disk.0.join(name).display().to_string();
    for words in [
        &["render", rig.as_str(), "-q", "-o", &to("out/")][..],
        &["render", &rig, "-q", "-o", &to("a.svg")],
        &["render", &rig, "-q", "-o", &to("a.gif")],
        &["render", &rig, "-q", "-o", &to("a.webp")],
        &["render", &rig, "-q", "-o", &to("a.apng")],
        &["render", &rig, "-q", "-o", &to("a.json")],
        &["render", &rig, "-q", "-o", &to("a.lottie")],
        &["render", &rig, "-q", "-o", &to("a.json"), "--sheet"],
        &["assemble", &frames, "-q", "-o", &to("a.gif")],
        &["init", &drawing, "-o", &to("a.ron")],
        &["sheet", &rig, "-o", &to("a.png")],
        &["sheet", &rig, "-o", &to("a.svg")],
        &["onion", &rig, "-o", &to("a.png")],
        &["plot", &rig, "-o", &to("a.svg")],
        &["import", &motion, "-o", &to("a.ron")],
        &["transitions", &rig, "wave", "droop", "--fade", "0.1", "-o", &to("a.ron")],
        &["pack", &rig, "-o", &to("a.bones")],
        &["convert", &rig, "-o", &to("a.json")],
        &["man", "-o", &to("man")],
    ] {
        let ran = expect(1, words);
        assert!(!ran.err.trim().is_empty(), "{words:?}");
        let left: Vec<String> = std::fs::read_dir(&disk.0)
            .expect("the disk")
            .flatten()
            .filter(|entry| entry.path().is_file())
            .map(|entry| entry.file_name().to_string_lossy().into_owned())
            .collect();
        assert_eq!(left, ["fill"], "{words:?}");
    }
}

/// Files that are to be replaced stay whole where nothing more fits: on a full disk, and where files may have no bytes
/// at all, as with a quota that is used up.
#[cfg(unix)]
#[test]
fn old_files_stay_where_nothing_more_fits() {
    let (folder, rig, drawing, motion) = everything();
    let frames = below(&folder, "frames/");
    expect(0, &[&rig, "-q", "-o", &frames]);
    let disk = SmallDisk::mount(folder.path().join("disk"));
    let limited = folder.path().join("limited");
    std::fs::create_dir(&limited).expect("a folder");
    let mut places = vec![(&limited, true)];
    match &disk {
        Some(disk) => places.push((&disk.0, false)),
        None => crate::command::skip(
            "old_files_stay_where_nothing_more_fits",
            "a small disk, which may not be mounted here",
            None,
        ),
    }
    let commands: [(&[&str], &str); 18] = [
        (&["render", &rig, "-q", "--frames", "0"], "f_0.png"),
        (&["render", &rig, "-q", "--frames", "0", "--existing", "skip"], "f_0.png"),
        (&["render", &rig, "-q", "--frames", "0", "--format", "svg"], "f_0.svg"),
        (&["render", &rig, "-q"], "a.svg"),
        (&["render", &rig, "-q"], "a.gif"),
        (&["render", &rig, "-q"], "a.webp"),
        (&["render", &rig, "-q"], "a.apng"),
        (&["render", &rig, "-q"], "a.json"),
        (&["render", &rig, "-q"], "a.lottie"),
        (&["render", &rig, "-q", "--sheet"], "a.tres"),
        (&["assemble", &frames, "-q"], "b.gif"),
        (&["init", &drawing, "--force"], "a.ron"),
        (&["sheet", &rig], "sheet.png"),
        (&["onion", &rig], "onion.png"),
        (&["plot", &rig], "plot.svg"),
        (&["import", &motion, "--force"], "b.ron"),
        (&["pack", &rig, "--force"], "a.bones"),
        (&["convert", &rig, "--force"], "c.json"),
    ];
    for (place, is_limited) in places {
        let to = |name: &str| place.join(name).display().to_string();
        for (_, name) in &commands {
            std::fs::write(to(name), "old").expect("a file");
        }
        std::fs::write(to("b.svg"), "old").expect("a file");
        if !is_limited {
            let mut file = std::fs::File::create(place.join("fill")).expect("a file");
            while file.write(&[0; 4096]).is_ok_and(|written| written > 0) {}
        }
        let before = crate::command::files(place);
        for (words, name) in &commands {
            let mut shell = Command::new("sh");
            let script = if is_limited { "ulimit -f 0; exec \"$@\"" } else { "exec \"$@\"" };
            shell.args(["-c", script, "sh", env!("CARGO_BIN_EXE_render-frames")]).args(*words);
            let output = if name.starts_with("f_") { name.replace('0', "#") } else { (*name).to_owned() };
            shell.args(["-o", &to(&output)]).env("NO_COLOR", "1").stdin(Stdio::null());
            // A file may have no bytes there, a pipe may.
            let child = shell.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
            let ran = finish(child.expect("a shell"));
            assert!(ran.code == Some(1) && !ran.err.trim().is_empty(), "{words:?} {is_limited}: {ran:?}");
            assert!(before == crate::command::files(place), "{words:?} {is_limited}: {:?}", names(place));
        }
    }
}

/// A file that reaches the limit of its size in the middle has no name, and the command ends with a message.
#[cfg(unix)]
#[test]
fn files_that_grow_beyond_a_limit_are_errors() {
    let (folder, rig, drawing, motion) = everything();
    let frames = below(&folder, "frames/");
    expect(0, &[&rig, "-q", "-o", &frames]);
    let commands: [(&[&str], &str); 13] = [
        (&["render", &rig, "-q"], "out/"),
        (&["render", &rig, "-q", "--jobs", "2", "--scale", "20"], "png/"),
        (&["render", &rig, "-q", "--scale", "20"], "a.gif"),
        (&["render", &rig, "-q", "--scale", "20"], "a.webp"),
        (&["render", &rig, "-q", "--scale", "20"], "a.apng"),
        (&["render", &rig, "-q"], "a.svg"),
        (&["render", &rig, "-q", "--sheet"], "a.json"),
        (&["assemble", &frames, "-q"], "b.gif"),
        (&["init", &drawing], "a.ron"),
        (&["sheet", &rig], "sheet.png"),
        (&["import", &motion], "b.ron"),
        (&["pack", &rig], "a.bones"),
        (&["convert", &rig], "c.json"),
    ];
    let whole = folder.path().join("whole");
    std::fs::create_dir(&whole).expect("a folder");
    let all = |place: &Path| {
        let (mut folders, mut found) = (vec![place.to_path_buf()], Vec::new());
        while let Some(folder) = folders.pop() {
            for path in
                std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path())
            {
                match path.is_dir() {
                    true if path.ends_with(crate::command::RECORDS) => {}
                    true => folders.push(path),
                    false => found.push((
                        path.strip_prefix(place).expect("it").to_owned(),
                        std::fs::read(&path).expect("it"),
                    )),
                }
            }
        }
        found
    };
    let mut errors = 0;
    for (words, name) in &commands {
        let run = |limit: &str, place: &Path| {
            let mut shell = Command::new("sh");
            shell.args([
                "-c",
                &format!("ulimit -f {limit}; exec \"$@\""),
                "sh",
                env!("CARGO_BIN_EXE_render-frames"),
            ]);
            shell
                .args(*words)
                .args(["-o", name])
                .current_dir(place)
                .env("NO_COLOR", "1")
                .stdin(Stdio::null());
            finish(shell.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("a shell"))
        };
        assert_eq!(run("unlimited", &whole).code, Some(0), "{words:?}");
        let expected = all(&whole);
        for limit in ["0", "1", "4"] {
            let place = folder.path().join(format!("{limit}-{}", name.trim_end_matches('/')));
            std::fs::create_dir(&place).expect("a folder");
            let ran = run(limit, &place);
            assert!(
                ran.code == Some(0) || ran.code == Some(1) && !ran.err.trim().is_empty(),
                "{words:?} {limit}: {ran:?}"
            );
            errors += u32::from(ran.code == Some(1));
            let left = all(&place);
            assert!(
                left.iter().all(|file| expected.contains(file)),
                "{words:?} {limit}: {ran:?} {:?}",
                left.iter().map(|file| &file.0).collect::<Vec<_>>()
            );
        }
    }
    assert!(errors > 20, "{errors}");
}

#[test]
fn clips_with_hostile_names_stay_in_the_output_folder() {
    let (folder, rig) = flag();
    let long = "n".repeat(300);
    let text = FLAG_RIG.replace("\"wave\"", "\"..\"").replace("\"droop\"", &format!("\"{long}\"")).replace(
        "    },\n)",
        "        \"../../a\\u{1b}[31m\\u{7}b\\u{0}\": (length: 0.1, bones: { \"pole\": (rotate: [(0, 0), (0.1, 9)]) }),\n    },\n)",
    );
    std::fs::write(&rig, text).expect("the rig");
    let out = below(&folder, "out/{clip}/f_##.png");
    let ran = expect(0, &[&rig, "-o", &out, "--clip", "all", "-q"]);
    let entries = std::fs::read_dir(folder.path()).expect("a folder").flatten();
    let mut beside: Vec<String> =
        entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    beside.sort();
    assert_eq!(beside, ["flag.ron", "flag.svg", "out"]);
    let entries = std::fs::read_dir(folder.path().join("out")).expect("a folder").flatten();
    let mut written: Vec<String> =
        entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    written.sort();
    assert_eq!(written, [".._.._a_[31m_b_", "__", &"n".repeat(200)]);
    for end in [".gif", ".svg"] {
        let out = below(&folder, &format!("whole{end}"));
        expect(0, &[&rig, "-o", &out, "--clip", "all", "-q"]);
    }
    expect(0, &[&rig, "-o", &below(&folder, "plain"), "--clip", "all", "-q"]);
    // Shown, never sent.
    let mut seen = vec![ran.err];
    for words in [
        &["check", rig.as_str()][..],
        &["inspect", &rig],
        &["inspect", &rig, "--clip", ".."],
        &[&rig, "--clip", "no", "-o", "-"],
        &["plot", &rig, "--bone", "\u{1b}[0m"],
        &["check", "no\u{1b}[31m\u{9b}0m.ron"],
        &[&rig, "-o", &below(&folder, "again"), "--progress", "plain"],
    ] {
        let Ran { out, err, .. } = run(words);
        seen.extend([out, err]);
    }
    for text in &seen {
        assert!(text.chars().all(|c| !c.is_control() || matches!(c, '\n' | '\t')), "{text:?}");
    }
    let found = seen.concat();
    assert!(found.contains("\\u{1b}[31m\\u{7}b"), "{found}");
    let check = expect(0, &["check", &rig]).err;
    for why in ["is that of a folder", "is too long", "characters that control a terminal"] {
        assert!(check.contains(why), "{why}: {check}");
    }
}

/// A PNG of one pixel.
const DOT: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\x06\0\0\0\x1f\x15\xc4\x89\0\0\0\rIDATx\xdac\xfc\xcf\xc0P\x0f\0\x04\x85\x01\x80\x84\xa9\x8c!\0\0\0\0IEND\xaeB`\x82";

#[cfg(unix)]
#[test]
fn images_are_read_from_the_folder_of_the_drawing_only() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let at = |path: &str| folder.path().join(path);
    std::fs::create_dir_all(at("rig/in")).expect("folders");
    for path in ["secret.png", "rig/in/own.png"] {
        std::fs::write(at(path), DOT).expect("an image");
    }
    std::os::unix::fs::symlink(at("secret.png"), at("rig/link.png")).expect("a link");
    let pipe = Command::new("mkfifo").arg(at("rig/pipe.png")).status();
    assert!(pipe.expect("mkfifo").success());
    let absolute = at("secret.png").display().to_string();
    let links = [
        "in/own.png",
        "../secret.png",
        &absolute,
        &format!("file://{absolute}"),
        "link.png",
        "in/../../secret.png",
    ];
    let images: String = links
        .iter()
        .chain(&["pipe.png", "/dev/zero", "gone.png"])
        .map(|href| format!("<image href=\"{href}\" width=\"2\" height=\"2\"/>"))
        .collect();
    std::fs::write(at("rig/flag.svg"), FLAG_SVG.replace("</svg>", &format!("{images}</svg>"))).expect("it");
    std::fs::write(at("rig/flag.ron"), FLAG_RIG).expect("it");
    let (rig, parent) = (below(&folder, "rig/flag.ron"), folder.path().display().to_string());
    let started = Instant::now();
    let checked = expect(0, &["check", &rig]).err;
    assert_eq!(checked.matches("is outside of the drawing's folder").count(), 5, "{checked}");
    assert_eq!(checked.matches("it is a pipe or a device").count(), 2, "{checked}");
    assert_eq!(checked.matches("gone.png” is not available").count(), 1, "{checked}");
    assert!(checked.contains("--allow-images-from"), "{checked}");
    let embedded = |more: &[&str]| {
        let words = [&["render", &rig, "-o", "-", "--format", "svg", "--frames", "0", "-q"], more].concat();
        expect(0, &words).out.matches("data:image/png").count()
    };
    assert_eq!(embedded(&[]), 1);
    assert_eq!(embedded(&["--allow-images-from", &parent]), 6);
    assert_eq!(embedded(&["--allow-images-from", &below(&folder, "rig/in")]), 1);
    assert!(started.elapsed() < Duration::from_secs(30));
}

#[test]
fn a_confined_rig_reads_its_own_folder_only() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let at = |path: &str| folder.path().join(path);
    std::fs::create_dir_all(at("rig/parts")).expect("folders");
    std::fs::write(at("flag.svg"), FLAG_SVG).expect("the drawing");
    std::fs::write(at("rig/parts/flag.svg"), FLAG_SVG).expect("the drawing");
    std::fs::write(at("part.ron"), "Part(version: 1)").expect("a part");
    let rig = below(&folder, "rig/flag.ron");
    let write = |drawing: &str, include: &str| {
        let text = FLAG_RIG.replace("\"flag.svg\",", &format!("\"{drawing}\", include: [{include}],"));
        std::fs::write(&rig, text).expect("the rig");
    };
    write("parts/../parts/flag.svg", "");
    expect(0, &["check", &rig, "--confined"]);
    let outside = at("flag.svg").display().to_string();
    for (drawing, include) in [("../flag.svg", ""), (&outside, ""), ("parts/flag.svg", "\"../part.ron\"")] {
        write(drawing, include);
        expect(0, &["check", &rig]);
        let ran = expect(3, &["check", &rig, "--confined"]);
        assert!(ran.err.contains("outside of the folder of the rig"), "{drawing} {include}: {}", ran.err);
        assert!(ran.err.contains("flag.ron:3"), "{}", ran.err);
        expect(3, &[&rig, "--confined", "-o", &below(&folder, "out/")]);
    }
}

#[cfg(unix)]
#[test]
fn pipes_and_devices_are_refused() {
    let (folder, rig) = flag();
    let pipe = below(&folder, "pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().expect("mkfifo").success());
    let started = Instant::now();
    let inside = folder.path().display().to_string();
    for path in [pipe.as_str(), "/dev/zero", "/dev/null"] {
        for words in [
            &["check", path][..],
            &["inspect", path],
            &["convert", path],
            &["init", path, "-o", "-"],
            &["import", path],
        ] {
            let ran = expect(3, words);
            assert!(ran.err.contains("it is a pipe or a device"), "{words:?}: {}", ran.err);
        }
        for key in ["flag.svg\",", "flag.svg\", include: [\"parts\"],"] {
            let key = key.replace("parts", path);
            let named = if key.contains("include") { key } else { format!("{path}\",") };
            std::fs::write(&rig, FLAG_RIG.replace("flag.svg\",", &named)).expect("the rig");
            let ran = expect(3, &["check", &rig]);
            assert!(ran.err.contains("it is a pipe or a device"), "{named}: {}", ran.err);
        }
        #[cfg(feature = "live")]
        for command in ["live", "watch"] {
            let ran = expect(3, &[command, path]);
            assert!(ran.err.contains("is not a file"), "{command} {path}: {}", ran.err);
        }
    }
    #[cfg(feature = "live")]
    for command in ["live", "watch"] {
        assert!(expect(3, &[command, &inside]).err.contains("is a folder: give the rig in it"));
        assert!(expect(3, &[command, &below(&folder, "no.ron")]).err.contains("there is no file"));
    }
    assert!(started.elapsed() < Duration::from_secs(60));
    expect(3, &["check", &inside]);
}

/// Runs with a text as standard input.
fn with_input(text: &str, words: &[&str]) -> Ran {
    let mut child = command(words);
    let child = child.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let mut child = child.expect("the program");
    child.stdin.take().expect("a pipe").write_all(text.as_bytes()).expect("all of it");
    finish(child)
}

#[test]
fn a_rig_comes_from_standard_input() {
    let (folder, rig) = flag();
    let drawing = below(&folder, "flag.svg");
    let (one, other) = (below(&folder, "one/"), below(&folder, "other/"));
    expect(0, &[&rig, "-q", "-o", &one]);
    for words in [
        &["-", "--drawing", &drawing, "-q", "-o", &other][..],
        &["check", "-", "--drawing", &drawing],
        &["inspect", "-", "--drawing", &drawing],
        &["convert", "-"],
        &["sheet", "-", "--drawing", &drawing, "-o", &below(&folder, "sheet.png")],
    ] {
        let ran = with_input(FLAG_RIG, words);
        assert_eq!(ran.code, Some(0), "{words:?}: {ran:?}");
    }
    assert_eq!(crate::command::files(Path::new(&one)), crate::command::files(Path::new(&other)));
    // Another drawing for a rig of a file, too.
    std::fs::rename(&drawing, below(&folder, "other.svg")).expect("the drawing");
    expect(3, &["check", &rig]);
    expect(0, &["check", &rig, "--drawing", &below(&folder, "other.svg")]);
    let ran = with_input("Rig(version: 1, ", &["check", "-"]);
    assert_eq!(ran.code, Some(3), "{ran:?}");
}

#[test]
fn numbers_that_cannot_be_drawn_are_no_panic() {
    let (folder, rig) = flag();
    let out = |name: &str| below(&folder, &format!("out/{name}"));
    let svg = |from: &str, to: &str| (FLAG_SVG.replace(from, to), FLAG_RIG.to_owned());
    let ron = |to: &str| {
        let svg = FLAG_SVG.replace("fill=\"#c33\"", "fill=\"#c33\" stroke=\"#111\" stroke-width=\"3\"");
        (svg, FLAG_RIG.replace("rotate: [(0, 0), (0.25, 30), (0.5, 0)]", to))
    };
    let wide = |width: &str| {
        svg("fill=\"#c33\"", &format!("fill=\"#c33\" stroke=\"#111\" stroke-width=\"{width}\""))
    };
    let cases = [
        wide("1e30"),
        wide("1e12"),
        svg(
            "fill=\"#c33\"",
            "fill=\"#c33\" stroke=\"#111\" stroke-miterlimit=\"1e30\" stroke-dasharray=\"1e-30\"",
        ),
        svg("r=\"5\"", "r=\"1e30\""),
        svg("H 35 V 20", "H 1e300 V 1e39 h 1e308 h 1e308"),
        svg("<g id=\"all\">", "<g id=\"all\" transform=\"scale(1e20)\">"),
        svg("<circle", "<circle transform=\"scale(1e30) scale(1e30)\""),
        ron("scale: [(0, (1, 1)), (0.25, (4294967296, 4294967296)), (0.5, (1, 1))]"),
        ron("scale: [(0, (1, 1)), (0.25, (1e200, 1e200)), (0.5, (1, 1))]"),
        ron("move: [(0, (0, 0)), (0.25, (1e30, 1e300)), (0.5, (0, 0))]"),
        ron("rotate: [(0, 0), (0.25, 1e300), (0.5, 0)]"),
    ];
    for (svg, text) in &cases {
        for bends in [false, true] {
            let text = if bends {
                text.replace("Rigid(art: \"flag\", bone: \"pole\")", "Smooth(art: [\"flag\"])")
            } else {
                text.clone()
            };
            std::fs::write(below(&folder, "flag.svg"), svg).expect("the drawing");
            std::fs::write(&rig, &text).expect("the rig");
            let mut codes = Vec::new();
            for words in [
                &["check", rig.as_str(), "--json"][..],
                &["render", &rig, "-o", &out("f_##.png"), "--frames", "0,5,6"],
                &["render", &rig, "-o", &out("f_##.svg"), "--format", "svg", "--frames", "0,5,6"],
                &["sheet", &rig, "-o", &out("sheet.png"), "--moments", "3"],
                &["onion", &rig, "-o", &out("onion.png")],
                &["plot", &rig, "-o", &out("plot.svg")],
                &["inspect", &rig, "--json", "--clip", "wave", "--frame", "6"],
                &[&rig, "-o", &out("lottie.json")],
                &[&rig, "-o", &out("all.svg")],
            ] {
                let ran = run(words);
                assert!(
                    ran.code.is_some_and(|code| matches!(code, 0 | 1 | 3)),
                    "{words:?}: {ran:?}\n{text}\n{svg}"
                );
                if ran.code == Some(1) {
                    assert!(!ran.err.trim().is_empty(), "{words:?}");
                }
                if words.contains(&"--json") {
                    serde_json::from_str::<serde_json::Value>(&ran.out).expect("JSON");
                    assert!(!ran.out.contains("inf") && !ran.out.contains("NaN"), "{}", ran.out);
                }
                codes.push((words[0].to_owned(), ran.code, ran.err));
            }
            // The frames are drawn in every way, or in none.
            let drawn = |command: &str| {
                codes.iter().filter(|(name, ..)| name == command).all(|(_, code, _)| *code == Some(0))
            };
            assert_eq!(drawn("render"), drawn("sheet"), "{codes:#?}\n{text}\n{svg}");
            assert_eq!(drawn("render"), drawn("onion"), "{codes:#?}\n{text}\n{svg}");
            assert_eq!(drawn("render"), drawn("inspect"), "{codes:#?}\n{text}\n{svg}");
        }
    }
}

#[cfg(target_os = "linux")]
#[test]
fn memory_that_is_missing_is_a_message() {
    let (folder, rig) = flag();
    let limited = |kilobytes: &str, words: &[&str]| {
        let mut shell = Command::new("sh");
        shell.args([
            "-c",
            &format!("ulimit -v {kilobytes}; exec \"$0\" \"$@\""),
            env!("CARGO_BIN_EXE_render-frames"),
        ]);
        let child =
            shell.args(words).env("NO_COLOR", "1").stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
        finish(child.expect("a shell"))
    };
    for words in [
        &["render", &rig, "--size", "20000x20000", "-o", &below(&folder, "out/"), "-j8"][..],
        &["onion", &rig, "--size", "20000x20000", "-o", &below(&folder, "onion.png")],
        &["sheet", &rig, "--size", "9000x9000", "--moments", "2", "-o", &below(&folder, "sheet.png")],
        &[&rig, "--size", "20000x20000", "-o", &below(&folder, "a.gif")],
        &[&rig, "--size", "20000x20000", "-o", &below(&folder, "a.webp")],
    ] {
        let ran = limited("800000", words);
        assert_eq!(ran.code, Some(1), "{words:?}: {ran:?}");
        assert!(ran.err.contains("memory"), "{words:?}: {}", ran.err);
    }
    // A text that needs more than there is, where no frame is drawn.
    let long =
        format!("Rig(version: 1, drawing: \"flag.svg\", bones: {{{}}})", "\"b\": (), ".repeat(3_000_000));
    std::fs::write(&rig, long).expect("the rig");
    let ran = limited("100000", &["check", &rig]);
    assert!(ran.code == Some(1) && ran.err.contains("memory"), "{ran:?}");
}

#[test]
fn parts_of_the_drawing_and_margins() {
    let (folder, rig) = flag();
    let picture = |more: &[&str]| {
        let out = below(&folder, "f.png");
        let words = [&[rig.as_str(), "-q", "-o", &out, "--frames", "0", "--clip", "wave"], more].concat();
        expect(0, &words);
        bone_render::Pixmap::load_png(&out).expect("a picture")
    };
    let size = |more: &[&str]| {
        let picture = picture(more);
        (picture.width(), picture.height())
    };
    assert_eq!(size(&["--view", "5,5,30,15"]), (30, 15));
    assert!(picture(&["--view", "5,5,30,15"]).pixels().iter().all(|pixel| pixel.is_opaque()));
    assert_eq!(size(&["--view=-10,-10,60,60", "--scale", "2"]), (120, 120));
    assert_eq!(size(&["--width", "80"]), (80, 80));
    assert_eq!(size(&["--view", "0,0,40,20", "--height", "10"]), (20, 10));
    assert_eq!(size(&["--width", "30", "--height", "50"]), (30, 50));
    assert_eq!(size(&["--margin", "10"]), (60, 60));
    // The flag and the sun, at rest and turned by up to 30 degrees.
    let all = size(&["--fit"]);
    assert_eq!(all, (30, 32));
    let out = below(&folder, "fit_##.png");
    expect(0, &[&rig, "-q", "-o", &out, "--clip", "wave", "--fit", "--margin", "1"]);
    for frame in ["fit_00.png", "fit_06.png"] {
        let picture = bone_render::Pixmap::load_png(below(&folder, frame)).expect("a picture");
        let (width, height) = (picture.width(), picture.height());
        assert!(width > 32, "{width} x {height}");
        for (at, pixel) in picture.pixels().iter().enumerate() {
            let (x, y) = (at as u32 % width, at as u32 / width);
            let edge = x == 0 || y == 0 || x + 1 == width || y + 1 == height;
            assert!(!edge || pixel.alpha() == 0, "{frame}: {x}, {y}");
        }
    }
    // What is outside of the page stays out of the margins.
    std::fs::write(
        below(&folder, "flag.svg"),
        FLAG_SVG.replace("cx=\"30\" cy=\"32\" r=\"5\"", "cx=\"40\" cy=\"32\" r=\"5\""),
    )
    .expect("the drawing");
    let alpha = |picture: &bone_render::Pixmap, x, y| picture.pixel(x, y).map(|pixel| pixel.alpha());
    let cut = picture(&["--size", "80x40"]);
    assert_eq!((alpha(&cut, 58, 32), alpha(&cut, 62, 32)), (Some(255), Some(0)));
    let bled = picture(&["--size", "80x40", "--bleed"]);
    assert_eq!((alpha(&bled, 58, 32), alpha(&bled, 62, 32)), (Some(255), Some(255)));
    let white = picture(&["--size", "80x40", "--background", "white"]);
    assert_eq!(white.pixel(62, 32).map(|pixel| (pixel.red(), pixel.blue())), Some((255, 255)));
    for wrong in [
        &["--view", "1,2,3"][..],
        &["--view", "0,0,5,5", "--fit"],
        &["--width", "5", "--scale", "2"],
        &["--margin=-1"],
    ] {
        expect(2, &[&[rig.as_str()], wrong].concat());
    }
}

#[test]
fn outputs_that_are_typed_in_other_ways() {
    let (folder, rig) = flag();
    expect(0, &[&rig, "-q", "-o", &below(&folder, "f_%04d.png"), "--frames", "0-1"]);
    let written: Vec<String> =
        names(folder.path()).into_iter().filter(|name| name.starts_with("f_")).collect();
    assert_eq!(written, ["f_0000.png", "f_0001.png"]);
    let ran = expect(2, &[&rig, "-o", &below(&folder, "x.jpg")]);
    assert!(ran.err.contains("no output for .jpg") && ran.err.contains(".gif"), "{}", ran.err);
    assert!(expect(2, &["wach", &rig]).err.contains("there is no command `wach`"));
    assert!(expect(2, &["chekc", &rig]).err.contains("did you mean `check`?"));
    #[cfg(unix)]
    {
        use std::os::unix::ffi::OsStringExt as _;
        let name = std::ffi::OsString::from_vec(b"caf\xe9.png".to_vec());
        let mut words = command(&["render", &rig, "-q", "--frames", "0", "-o"]);
        let ran = words.arg(folder.path().join(&name)).output().expect("it");
        if ran.status.success() {
            assert!(folder.path().join(&name).exists());
        } else {
            // Some file systems take UTF-8 only.
            assert_eq!(ran.status.code(), Some(1), "{ran:?}");
        }
    }
}

#[cfg(unix)]
#[test]
fn ctrl_c_ends_the_simulation_of_springs() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let bones: String =
        (1..400).map(|i| format!("\"b{i}\": (parent: \"b{}\", length: 2),\n", i - 1)).collect();
    let springs: String = (1..400).map(|i| format!("\"b{i}\": (stiffness: 2, damping: 0.02),\n")).collect();
    let rig = format!(
        "Rig(version: 1, drawing: \"flag.svg\", bones: {{\"b0\": (from: (5, 5), length: 2),\n{bones}}},\n\
         skin: [Rigid(art: \"flag\", bone: \"b9\")], springs: {{{springs}}},\n\
         clips: {{\"wave\": (length: 60, loop: true, bones: {{\"b0\": (rotate: [(0, 0), (30, 3000), (60, 0)])}})}})"
    );
    std::fs::write(folder.path().join("flag.ron"), rig).expect("the rig");
    std::fs::write(folder.path().join("flag.svg"), FLAG_SVG).expect("the drawing");
    let words = ["render", &below(&folder, "flag.ron"), "-o", &below(&folder, "out/"), "--frames", "0"];
    let child = command(&words).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it");
    std::thread::sleep(Duration::from_millis(2500));
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    let asked = Instant::now();
    let output = child.wait_with_output().expect("its end");
    if sent.is_ok_and(|sent| sent.success()) && output.status.code() != Some(0) {
        assert!(asked.elapsed() < Duration::from_secs(2), "{:?}", asked.elapsed());
    }
    println!("{:?} {}", output.status, String::from_utf8_lossy(&output.stderr));
}

/// A rig whose drawing has a picture beside it, with the name that a frame, a page of a sheet and so on has.
fn with_picture(name: &str) -> (tempfile::TempDir, String, String) {
    let (folder, rig) = flag();
    let picture = below(&folder, name);
    expect(0, &[&rig, "-o", &below(&folder, "made.png"), "--frames", "0"]);
    std::fs::rename(below(&folder, "made.png"), &picture).expect("the picture");
    let image = format!("<image href=\"{name}\" width=\"4\" height=\"4\"/></svg>");
    std::fs::write(below(&folder, "flag.svg"), FLAG_SVG.replace("</svg>", &image)).expect("the drawing");
    (folder, rig, picture)
}

#[test]
fn no_output_replaces_a_picture_of_the_drawing() {
    for (name, words) in [
        ("frame_0000.png", &["render", "RIG", "-o", "./", "--frames", "0"][..]),
        ("frame_0000.png", &["render", "RIG", "-o", "frame_####.png", "--existing", "overwrite"]),
        ("pic.png", &["render", "RIG", "-o", "pic.png", "--frames", "0", "--existing", "overwrite"]),
        ("page.png", &["render", "RIG", "-o", "page.json", "--sheet"]),
        ("page-2.png", &["render", "RIG", "-o", "page.tres", "--sheet"]),
        ("pic.png", &["sheet", "RIG", "-o", "pic.png", "--force"]),
        ("pic.png", &["sheet", "RIG", "--art", "-o", "./pic.png"]),
        ("pic.png", &["onion", "RIG", "-o", "pic.png", "--force"]),
        ("pic.png", &["plot", "RIG", "-o", "pic.png", "--force"]),
    ] {
        let (folder, rig, picture) = with_picture(name);
        let before = crate::command::files(folder.path());
        let words: Vec<&str> =
            words.iter().map(|word| if *word == "RIG" { rig.as_str() } else { word }).collect();
        let mut command = command(&words);
        command.current_dir(folder.path()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let child = command.spawn().expect("the program");
        let ran = finish(child);
        assert!(ran.code == Some(2) && ran.err.contains("is a source of the"), "{words:?}: {}", ran.err);
        assert!(ran.err.contains(name), "{words:?}: {}", ran.err);
        assert!(before == crate::command::files(folder.path()), "{words:?} wrote; {picture} stays");
    }
    // Other names beside it are free, and so is the name of a page that is none.
    let (folder, rig, _) = with_picture("page-x.png");
    expect(0, &["render", &rig, "-o", &below(&folder, "page.json"), "--sheet"]);
}

/// The texts of a rig stay as its pictures do: drawings, parts, and the rig itself, by any spelling.
#[test]
fn no_output_replaces_a_text_of_the_rig() {
    let (folder, rig) = flag();
    let at = |name: &str| below(&folder, name);
    std::fs::write(at("part.json"), "{\"Part\": {\"version\": 1}}").expect("a part");
    let text = FLAG_RIG.replace("Rig(", "Rig( include: [\"part.json\"],");
    std::fs::write(&rig, text).expect("a rig");
    expect(0, &["convert", &rig, "-o", &at("rig.json")]);
    std::fs::copy(at("flag.svg"), at("other.svg")).expect("a drawing");
    let before = crate::command::files(folder.path());
    for words in [
        &["render", "flag.ron", "-o", "flag.svg"][..],
        &["render", "flag.ron", "-o", "./flag.svg", "--existing", "overwrite"],
        &["render", "flag.ron", "-o", "flag.svg", "--force", "--clip", "wave"],
        &["render", "flag.ron", "-o", "flag.svg", "--format", "svg", "--frames", "0"],
        &["render", "flag.ron", "--drawing", "other.svg", "-o", "other.svg"],
        &["render", "flag.ron", "-o", "part.json"],
        &["render", "flag.ron", "-o", "part.json", "--sheet", "--force"],
        &["render", "rig.json", "-o", "rig.json"],
        &["render", "rig.json", "-o", "rig.json", "--sheet"],
        &["plot", "flag.ron", "-o", "flag.svg", "--force"],
        &["onion", "flag.ron", "-o", "flag.svg"],
        &["sheet", "flag.ron", "-o", "flag.svg"],
        &["sheet", "flag.svg", "--art", "-o", "flag.svg", "--force"],
        &["convert", "rig.json", "-o", "rig.json", "--force"],
        &["convert", "flag.ron", "-o", "flag.ron", "--force"],
        &["transitions", "flag.ron", "wave", "droop", "--fade", "0.1", "-o", "part.json", "--force"],
    ] {
        let mut command = command(words);
        command.current_dir(folder.path()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let ran = finish(command.spawn().expect("the program"));
        assert!(ran.code == Some(2) && ran.err.contains("is a source of the"), "{words:?}: {}", ran.err);
        assert!(before == crate::command::files(folder.path()), "{words:?}");
    }
    // Other names of the drawing: the name is replaced, the drawing stays.
    #[cfg(unix)]
    {
        let drawing = || std::fs::read_to_string(at("flag.svg")).expect("the drawing");
        std::os::unix::fs::symlink("flag.svg", at("link.svg")).expect("a link");
        std::fs::hard_link(at("flag.svg"), at("hard.svg")).expect("a link");
        for name in ["link.svg", "hard.svg"] {
            // A link is followed to what it is, and refused where that is an input.
            assert!(matches!(run(&["render", &rig, "-o", &at(name), "-q"]).code, Some(0 | 2)), "{name}");
            assert_eq!(drawing(), FLAG_SVG, "{name}");
        }
    }
}

#[test]
fn a_rig_never_replaces_what_it_is_made_of() {
    let (folder, rig) = flag();
    let drawing = below(&folder, "flag.svg");
    let again = folder.path().file_name().expect("a name").to_string_lossy().into_owned();
    let again = |name: &str| format!("{}/../{again}/{name}", folder.path().display());
    let other = again("flag.svg");
    let before = crate::command::files(folder.path());
    for output in [&drawing, &other] {
        for force in [&[][..], &["--force"]] {
            let ran = expect(2, &[&["init", &drawing, "-o", output][..], force].concat());
            assert!(ran.err.contains("is the drawing: choose another name"), "{}", ran.err);
        }
    }
    let ran = expect(2, &["convert", &rig, "-o", &again("flag.ron"), "--force"]);
    assert!(ran.err.contains("is a source of the converted rig"), "{}", ran.err);
    assert!(before == crate::command::files(folder.path()));

    expect(0, &["pack", &rig]);
    let packed = below(&folder, "flag.bones");
    let before = crate::command::files(folder.path());
    let ran = expect(2, &["pack", &packed, "-o", &again("flag.bones"), "--force"]);
    assert!(ran.err.contains("is a source of the packed rig"), "{}", ran.err);
    assert!(before == crate::command::files(folder.path()));

    let (folder, _, picture) = with_picture("pic.png");
    let before = crate::command::files(folder.path());
    let drawing = below(&folder, "flag.svg");
    expect(2, &["init", &drawing, "-o", &picture, "--force"]);
    assert!(before == crate::command::files(folder.path()));
}
