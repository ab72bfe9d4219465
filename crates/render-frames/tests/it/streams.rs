//! Frames through a pipe: the bytes of the files, in order, with any number of threads; and a reader that
//! stops.

use std::io::Read as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use crate::command::{below, command, expect, files, flag, repository};
use bone_render::Pixmap;

/// What a run wrote to standard output.
fn piped(words: &[&str]) -> Vec<u8> {
    let output = start(words).wait_with_output().expect("its end");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(0), "{words:?}: {said}");
    output.stdout
}

fn start(words: &[&str]) -> Child {
    command(words).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the program")
}

/// The header of a y4m, and its frames: luma and both chromas of each.
fn y4m(bytes: &[u8]) -> (String, Vec<&[u8]>) {
    let end = bytes.iter().position(|&byte| byte == b'\n').expect("a header");
    let header = String::from_utf8(bytes[..end].to_owned()).expect("text");
    let side = |letter: char| -> usize {
        let word = header.split(' ').skip(1).find_map(|word| word.strip_prefix(letter));
        word.and_then(|number| number.parse().ok()).expect("a size")
    };
    let frames = bytes[end + 1..].chunks(6 + 3 * side('W') * side('H'));
    let planes = frames.map(|frame| frame.strip_prefix(b"FRAME\n").expect("a frame"));
    (header.clone(), planes.collect())
}

#[test]
fn a_pipe_has_the_bytes_of_the_files_whatever_the_threads_do() {
    let rig = repository("examples/walk/rig.ron");
    let small = ["--scale", "0.3", rig.as_str(), "-q"];
    let folder = tempfile::tempdir().expect("a temporary folder");
    let out = below(&folder, "out/");
    expect(0, &[&small[..], &["-o", &out, "-j2"]].concat());
    let pngs = files(Path::new(&out));
    let one =
        |format: &str, more: &[&str]| piped(&[&small[..], &["-o", "-", "--format", format], more].concat());

    let whole: Vec<u8> = pngs.values().flatten().copied().collect();
    assert!(one("png", &["-j1"]) == whole && one("png", &["-j5"]) == whole);
    let some: Vec<u8> = pngs.values().skip(3).step_by(4).flatten().copied().collect();
    assert!(one("png", &["-j3", "--frames", "3-23:4"]) == some);

    let raw = one("rgba", &["-j3"]);
    let pixmaps: Vec<Pixmap> = pngs.values().map(|png| Pixmap::decode_png(png).expect("a picture")).collect();
    assert_eq!(raw.len(), pixmaps.iter().map(|pixmap| pixmap.data().len()).sum::<usize>());
    for (raw, pixmap) in raw.chunks(pixmaps[0].data().len()).zip(&pixmaps) {
        for (raw, pixel) in raw.chunks(4).zip(pixmap.pixels()) {
            let wanted = pixel.demultiply();
            assert_eq!(raw[3], wanted.alpha());
            // The file was multiplied again when it was read.
            let off = [wanted.red().abs_diff(raw[0]), wanted.blue().abs_diff(raw[2])];
            assert!(wanted.alpha() < 255 || off == [0, 0]);
        }
    }

    let video = one("y4m", &["-j1"]);
    assert!(one("y4m", &["-j4"]) == video);
    let (header, frames) = y4m(&video);
    assert_eq!(header, "YUV4MPEG2 W192 H240 F24:1 Ip A1:1 C444 XCOLORRANGE=LIMITED");
    assert_eq!(frames.len(), 24);
    let part = one("y4m", &["-j2", "--frames", "17,5-6"]);
    let (_, chosen) = y4m(&part);
    assert!(chosen == [frames[5], frames[6], frames[17]]);
}

#[test]
fn clips_follow_each_other_and_rates_are_ratios() {
    let (_folder, rig) = flag();
    let all = piped(&[&rig, "-o", "-", "--clip", "all", "--format", "y4m", "--fps", "24000/1001"]);
    let (header, frames) = y4m(&all);
    assert!(header.contains(" F24000:1001 "), "{header}");
    // Half a second that loops, and a quarter of one with its end.
    assert_eq!(frames.len(), 12 + 6);
    let header = y4m(&piped(&[&rig, "-o", "-", "--format", "y4m", "--fps", "12.5"])).0;
    assert!(header.contains(" F25:2 "), "{header}");
}

#[test]
fn what_is_see_through_is_before_black_in_a_video_and_is_told() {
    let (_folder, rig) = flag();
    let words = [rig.as_str(), "-o", "-", "--format", "y4m", "--frames", "0"];
    let ran = start(&words).wait_with_output().expect("its end");
    let said = String::from_utf8_lossy(&ran.stderr).into_owned();
    assert!(said.contains("became black") && said.contains("--background"), "{said}");
    // The corner is transparent: black. The flag is #c33: by the formula 16 + 219 (0.2126 204 + 0.7874 51) /
    // 255 = 87.7.
    let luma = |bytes: &[u8], x: usize, y: usize| y4m(bytes).1[0][y * 40 + x];
    assert_eq!((luma(&ran.stdout, 0, 0), luma(&ran.stdout, 20, 12)), (16, 88));
    let ran = start(&[&words[..], &["--background", "white"]].concat()).wait_with_output().expect("its end");
    assert_eq!((luma(&ran.stdout, 0, 0), luma(&ran.stdout, 20, 12)), (235, 88));
    assert!(!String::from_utf8_lossy(&ran.stderr).contains("black"));
}

#[test]
fn one_posed_drawing_fits_a_pipe() {
    let (folder, rig) = flag();
    let out = below(&folder, "pose.svg");
    expect(0, &[&rig, "--format", "svg", "--frames", "4", "-o", &out]);
    let piped = piped(&[&rig, "--format", "svg", "--frames", "4", "-o", "-"]);
    assert!(piped == std::fs::read(&out).expect("a drawing"));
}

#[test]
fn words_that_do_not_fit_a_pipe_end_with_2() {
    let (folder, rig) = flag();
    let file = below(&folder, "all.y4m");
    let cases: [(&[&str], &str); 7] = [
        (&["-o", "-", "--format", "svg"], "--frames 0"),
        (&["-o", "-", "--existing", "skip"], "-o - writes none"),
        (&["-o", "-", "--existing", "error"], "-o - writes none"),
        (&["-o", &file, "--format", "y4m"], "-o - --format y4m >"),
        (&["-o", "out/", "--format", "rgba"], "> 'all.rgba'"),
        (&["-o", &file], "--format y4m"),
        (&["-o", "-", "--clip", "wvae"], "did you mean \"wave\"?"),
    ];
    for (words, said) in cases {
        let ran = expect(2, &[&[rig.as_str()], words].concat());
        assert!(ran.err.contains(said) && ran.out.is_empty(), "{words:?}: {}", ran.err);
    }
    assert!(!Path::new(&file).exists());
}

#[test]
fn a_reader_that_goes_away_ends_the_work_without_a_word() {
    let rig = repository("examples/walk/rig.ron");
    for jobs in ["-j1", "-j3"] {
        for format in ["png", "rgba", "y4m"] {
            let words = [&rig, "-o", "-", "--format", format, "--frames", "0-9999", "--scale", "0.2", jobs];
            let mut child = start(&[&words[..], &["--clip", "walk"]].concat());
            let mut out = child.stdout.take().expect("a pipe");
            out.read_exact(&mut [0; 3000]).expect("some frames");
            drop(out);
            let ran = crate::command::finish(child);
            assert_eq!((ran.code, ran.err.as_str()), (Some(141), ""), "{format}");
        }
    }
}

#[test]
#[cfg(unix)]
fn a_disk_that_is_full_is_told() {
    let (_folder, rig) = flag();
    let Ok(full) = std::fs::File::options().write(true).open("/dev/full") else {
        crate::command::skip("a_disk_that_is_full_is_told", "/dev/full", None);
        return;
    };
    for format in ["png", "rgba", "y4m"] {
        let full = full.try_clone().expect("it");
        let child =
            command(&[&rig, "-o", "-", "--format", format]).stdout(full).stderr(Stdio::piped()).spawn();
        let ran = crate::command::finish(child.expect("the program"));
        assert_eq!(ran.code, Some(1));
        assert!(
            ran.err.contains("frame 0 of \"wave\"") && ran.err.contains("standard output"),
            "{}",
            ran.err
        );
    }
}

#[test]
#[cfg(unix)]
fn ctrl_c_leaves_whole_frames_in_the_pipe() {
    let rig = repository("examples/walk/rig.ron");
    let words = [&rig, "-o", "-", "--format", "rgba", "--frames", "0-9999", "--scale", "0.2", "-j3"];
    let mut child = start(&[&words[..], &["--clip", "walk"]].concat());
    let mut out = child.stdout.take().expect("a pipe");
    let size = 128 * 160 * 4;
    let mut bytes = vec![0; 5 * size + 1];
    out.read_exact(&mut bytes).expect("some frames");
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(sent.expect("kill").success());
    out.read_to_end(&mut bytes).expect("the rest");
    let ran = crate::command::finish(child);
    assert_eq!(ran.code, Some(130), "{ran:?}");
    assert_eq!(bytes.len() % size, 0, "half a frame");
    let frames = bytes.len() / size;
    assert!(frames < 100 && ran.err.contains(&format!("interrupted after {frames} frames")), "{}", ran.err);
}

#[test]
#[cfg(unix)]
fn a_second_ctrl_c_does_not_wait_for_the_reader() {
    let rig = repository("examples/walk/rig.ron");
    let words = [&rig, "-o", "-", "--format", "rgba", "--frames", "0-99", "-j2", "--clip", "walk"];
    let mut child = start(&words);
    // Frames exist, and the reader takes only a part of the first one.
    let mut out = child.stdout.take().expect("a pipe");
    out.read_exact(&mut [0; 10]).expect("a beginning");
    let id = child.id().to_string();
    let mut sent = 0;
    let patience = std::time::Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait().expect("its state") {
            break status;
        }
        assert!(patience.elapsed().as_secs() < 60, "it waits for the reader");
        // Two signals in quick succession may be merged into one.
        std::thread::sleep(std::time::Duration::from_millis(200));
        sent += u32::from(Command::new("kill").args(["-INT", &id]).status().is_ok_and(|s| s.success()));
    };
    assert_eq!(status.code(), Some(130));
    assert!(sent >= 2, "{sent} signals");
}

#[test]
#[cfg(target_os = "linux")]
fn memory_does_not_grow_with_the_number_of_frames() {
    let rig = repository("examples/walk/rig.ron");
    let words = [&rig, "-o", "-", "--format", "rgba", "--frames", "0-149", "-j4", "--clip", "walk"];
    let mut child = start(&words);
    let mut out = child.stdout.take().expect("a pipe");
    let mut frame = vec![0; 640 * 800 * 4];
    // The reader pauses: the threads have to wait.
    std::thread::sleep(std::time::Duration::from_millis(300));
    for _ in 0..149 {
        out.read_exact(&mut frame).expect("a frame");
    }
    let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).expect("its status");
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("its peak");
    let peak: u64 = peak.trim().trim_end_matches(" kB").parse().expect("a number");
    // 300 MB go through the pipe; eight frames in the window and four in progress are 25 MB.
    assert!(peak < 120_000, "{peak} kB");
    out.read_exact(&mut frame).expect("the last frame");
    assert_eq!(crate::command::finish(child).code, Some(0));
}

#[test]
fn ffmpeg_reads_the_colours_that_were_drawn() {
    let there = Command::new("ffmpeg").arg("-version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    if !there.is_ok_and(|status| status.success()) {
        crate::command::skip("ffmpeg_reads_the_colours_that_were_drawn", "ffmpeg", Some("REQUIRE_JUDGES"));
        return;
    }
    let rig = repository("examples/walk/rig.ron");
    let drawn = [&rig, "--clip", "walk", "-q", "--scale", "0.3", "--background", "#d8e8f0", "-o"];
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = below(&folder, "walk.y4m");
    let video = piped(&[&drawn[..], &["-", "--format", "y4m"]].concat());
    std::fs::write(&file, video).expect("a file");
    let ffmpeg = |words: &[&str]| {
        let ran = Command::new("ffmpeg").args(["-v", "error"]).args(words).stdin(Stdio::null()).output();
        let ran = ran.expect("ffmpeg");
        assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
        ran.stdout
    };
    // Another decoder, with its own conversion from BT.709.
    let exact = "scale=in_color_matrix=bt709:in_range=tv:flags=accurate_rnd+full_chroma_int+bitexact";
    let words =
        ["-colorspace", "bt709", "-i", &file, "-vf", exact, "-pix_fmt", "rgb24", "-f", "rawvideo", "-"];
    let decoded = ffmpeg(&words);
    let png = piped(&[&drawn[..], &["-", "--frames", "7"]].concat());
    let wanted = Pixmap::decode_png(&png).expect("a picture");
    let size = wanted.pixels().len() * 3;
    assert_eq!(decoded.len(), 24 * size, "every frame arrives");
    let mut off = [0_u64; 256];
    for (found, wanted) in decoded[7 * size..8 * size].chunks(3).zip(wanted.pixels()) {
        for (found, wanted) in found.iter().zip([wanted.red(), wanted.green(), wanted.blue()]) {
            off[usize::from(found.abs_diff(wanted))] += 1;
        }
    }
    // Luma and chroma in 8 bits of limited range are good to 1.5 levels.
    assert!(off[3..].iter().all(|&count| count == 0), "levels off: {:?}", &off[..16]);
    let most = off.iter().sum::<u64>() * 9 / 10;
    assert!(off[0] + off[1] > most, "levels off: {:?}", &off[..16]);
    // The arguments of the help text.
    let film = below(&folder, "walk.mp4");
    ffmpeg(&["-colorspace", "bt709", "-i", &file, "-pix_fmt", "yuv420p", &film]);
    assert!(std::fs::metadata(&film).is_ok_and(|film| film.len() > 1000));
}
