//! Videos by ffmpeg: the pixels and tags of a decoded file, and the messages where ffmpeg is missing, fails
//! or dies. Tests that need ffmpeg are skipped where there is none, unless `REQUIRE_JUDGES` is set.

use std::path::Path;
use std::process::{Command, Stdio};

use crate::command::{below, command, finish, flag, names, repository, skip};

/// Whether ffmpeg and ffprobe are there.
pub(crate) fn has_ffmpeg(test: &str) -> bool {
    let runs = |program: &str| {
        let status =
            Command::new(program).arg("-version").stdout(Stdio::null()).stderr(Stdio::null()).status();
        status.is_ok_and(|status| status.success())
    };
    let there = runs("ffmpeg") && runs("ffprobe");
    if !there {
        skip(test, "ffmpeg and ffprobe: apt-get install ffmpeg", Some("REQUIRE_JUDGES"));
    }
    there
}

/// What a program writes to standard output.
pub(crate) fn output(program: &str, words: &[&str]) -> Vec<u8> {
    let output = Command::new(program).args(words).stdin(Stdio::null()).output().expect(program);
    assert!(output.status.success(), "{words:?}: {}", String::from_utf8_lossy(&output.stderr));
    output.stdout
}

/// The fields of the video stream.
fn probe(path: &str) -> serde_json::Value {
    let words =
        ["-v", "error", "-select_streams", "v", "-show_streams", "-count_frames", "-of", "json", path];
    let json: serde_json::Value = serde_json::from_slice(&output("ffprobe", &words)).expect("JSON");
    json["streams"][0].clone()
}

/// BT.709 in its limited range, in floating point (ITU-R BT.709-6, section 3).
fn yuv([red, green, blue]: [f64; 3]) -> [f64; 3] {
    let luma = 0.2126 * red + 0.7152 * green + 0.0722 * blue;
    let [luma, blue, red] = [luma, (blue - luma) / 1.8556, (red - luma) / 1.5748].map(|value| value / 255.0);
    [16.0 + 219.0 * luma, 128.0 + 224.0 * blue, 128.0 + 224.0 * red]
}

/// The mean differences of luma and alpha, and the largest of the three channels in the means of large
/// blocks.
fn compare(rgba: &[u8], planes: [&[u8]; 3], (width, height, shift): (usize, usize, usize)) -> (f64, f64) {
    let pixel = |x: usize, y: usize| {
        let at = (y * width + x) * 4;
        [rgba[at], rgba[at + 1], rgba[at + 2]].map(f64::from)
    };
    let places = (0..height).flat_map(|y| (0..width).map(move |x| (x, y)));
    let luma: f64 =
        places.map(|(x, y)| (yuv(pixel(x, y))[0] - f64::from(planes[0][y * width + x])).abs()).sum();
    // Colours of blocks of one colour: there 4:2:0 loses nothing.
    let mut worst: f64 = 0.0;
    for (x, y) in (0..height - 8).step_by(4).flat_map(|y| (0..width - 8).step_by(4).map(move |x| (x, y))) {
        let flat = (0..64).all(|k| pixel(x + k % 8, y + k / 8) == pixel(x, y));
        if flat {
            let wanted = yuv(pixel(x + 4, y + 4));
            let at = ((y + 4) >> shift) * (width >> shift) + ((x + 4) >> shift);
            let found = [planes[0][(y + 4) * width + x + 4], planes[1][at], planes[2][at]].map(f64::from);
            for (wanted, found) in wanted.iter().zip(found) {
                worst = worst.max((wanted.round() - found).abs());
            }
        }
    }
    (luma / (width * height) as f64, worst)
}

#[test]
fn decoded_colours_and_tags_are_those_of_the_frames() {
    if !has_ffmpeg("decoded_colours_and_tags_are_those_of_the_frames") {
        return;
    }
    let folder = tempfile::tempdir().expect("a temporary folder");
    let rig = repository("examples/walk/rig.ron");
    let small = ["--scale", "0.5", "--background", "white", "--frames", "0-5", "-q"];
    let (width, height) = (320, 400);
    let raw = {
        let words = [&[rig.as_str(), "-o", "-", "--format", "rgba"][..], &small].concat();
        command(&words).stdout(Stdio::piped()).stderr(Stdio::piped()).output().expect("a run").stdout
    };
    for (name, codec) in [("walk.mp4", "h264"), ("walk.webm", "vp9")] {
        let film = below(&folder, name);
        let words = [&[rig.as_str(), "-o", &film][..], &small].concat();
        let ran = crate::command::expect(0, &words);
        assert_eq!(ran.err, "");
        let first = std::fs::read(&film).expect("the video");
        crate::command::expect(0, &words);
        assert!(first == std::fs::read(&film).expect("the video"), "{name} has the same bytes each time");
        let stream = probe(&film);
        assert_eq!(
            (&stream["codec_name"], &stream["nb_read_frames"]),
            (&codec.into(), &"6".into()),
            "{stream:#}"
        );
        for (field, value) in [
            ("color_range", "tv"),
            ("color_space", "bt709"),
            ("color_transfer", "bt709"),
            ("color_primaries", "bt709"),
            ("pix_fmt", "yuv420p"),
            ("r_frame_rate", "24/1"),
        ] {
            assert_eq!(stream[field], value, "{name}");
        }
        let words = ["-v", "error", "-i", &film, "-f", "rawvideo", "-pix_fmt", "yuv420p", "-"];
        let decoded = output("ffmpeg", &words);
        let (luma, chroma) = (width * height, width * height / 4);
        assert_eq!(decoded.len(), 6 * (luma + 2 * chroma));
        for (frame, decoded) in raw.chunks(luma * 4).zip(decoded.chunks(luma + 2 * chroma)) {
            let (y, rest) = decoded.split_at(luma);
            let (u, v) = rest.split_at(chroma);
            let (mean, worst) = compare(frame, [y, u, v], (width, height, 1));
            assert!(mean < 1.0 && worst <= 2.0, "{name}: mean {mean}, flat colours {worst}");
        }
    }
}

#[test]
fn alpha_is_in_webm_and_mov() {
    if !has_ffmpeg("alpha_is_in_webm_and_mov") {
        return;
    }
    let (folder, rig) = flag();
    let raw = {
        let words = [&rig, "-o", "-", "--format", "rgba", "--scale", "2", "-q"];
        command(&words).stdout(Stdio::piped()).stderr(Stdio::piped()).output().expect("a run").stdout
    };
    for (name, decoder, format) in
        [("a.webm", &["-c:v", "libvpx-vp9"][..], "yuva420p"), ("a.mov", &[], "yuva444p12le")]
    {
        let film = below(&folder, name);
        crate::command::expect(0, &[&rig, "-o", &film, "--scale", "2", "-q"]);
        let stream = probe(&film);
        if name == "a.webm" {
            assert_eq!(stream["tags"]["alpha_mode"], "1", "{stream:#}");
        } else {
            assert_eq!((&stream["pix_fmt"], &stream["codec_tag_string"]), (&format.into(), &"ap4h".into()));
        }
        assert_eq!(stream["color_space"], "bt709");
        let decode = ["-i", &film, "-vf", "extractplanes=a,format=gray", "-f", "rawvideo", "-"];
        let alpha = output("ffmpeg", &[&["-v", "error"][..], decoder, &decode].concat());
        assert_eq!(alpha.len(), raw.len() / 4, "{name}");
        let off: u64 =
            raw.chunks(4).zip(&alpha).map(|(pixel, alpha)| u64::from(pixel[3].abs_diff(*alpha))).sum();
        assert!((off as f64) < 2.0 * alpha.len() as f64, "{name}: {}", off as f64 / alpha.len() as f64);
    }
}

#[test]
fn odd_sizes_are_padded_and_transparency_is_noted() {
    if !has_ffmpeg("odd_sizes_are_padded_and_transparency_is_noted") {
        return;
    }
    let (folder, rig) = flag();
    let film = below(&folder, "odd.mp4");
    let ran = crate::command::expect(0, &[&rig, "-o", &film, "--size", "41x33"]);
    assert!(ran.err.contains("has no transparency"), "{}", ran.err);
    let stream = probe(&film);
    assert_eq!((&stream["width"], &stream["height"]), (&42.into(), &34.into()));
    let film = below(&folder, "odd.webm");
    crate::command::expect(0, &[&rig, "-o", &film, "--size", "41x33", "-q"]);
    assert_eq!((&probe(&film)["width"], &probe(&film)["height"]), (&41.into(), &33.into()));
}

/// Runs the program where `ffmpeg` is this script, or nothing.
fn with_ffmpeg(script: Option<&str>, words: &[&str]) -> crate::command::Ran {
    let bin = tempfile::tempdir().expect("a temporary folder");
    if let Some(script) = script {
        let path = bin.path().join("ffmpeg");
        std::fs::write(&path, format!("#!/bin/sh\n{script}\n")).expect("a script");
        make_executable(&path);
    }
    let child = command(words).env("PATH", bin.path()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    finish(child.expect("the program"))
}

fn make_executable(path: &Path) {
    use std::os::unix::fs::PermissionsExt as _;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).expect("permissions");
}

#[test]
fn an_ffmpeg_that_is_missing_fails_or_dies_is_told_and_leaves_nothing() {
    let (folder, rig) = flag();
    let film = below(&folder, "a.mp4");
    let words = [rig.as_str(), "-o", &film, "--size", "400x400", "-q"];
    for (script, expected) in [
        (None, &["apt install ffmpeg", "--format y4m"][..]),
        (
            Some("echo 'Unknown encoder libx264' >&2; exit 1"),
            &["exit status: 1", "Unknown encoder", "another build"],
        ),
        (Some("/bin/dd bs=1000 count=3 of=/dev/null 2>/dev/null; kill -9 $$"), &["signal: 9"]),
        (Some("/bin/cat > /dev/null; echo 'late trouble' >&2; exit 3"), &["exit status: 3", "late trouble"]),
        // Without an error, and without a video.
        (Some("/bin/cat > /dev/null; echo 'odd words' >&2"), &["has written nothing", "odd words"]),
        (Some("/bin/cat > /dev/null; for last; do :; done; : > \"$last\""), &["has written nothing"]),
    ] {
        let ran = with_ffmpeg(script, &words);
        assert_eq!(ran.code, Some(1), "{ran:?}");
        for message in expected {
            assert!(ran.err.contains(message), "{script:?}: {}", ran.err);
        }
        assert_eq!(names(folder.path()), ["flag.ron", "flag.svg"]);
    }
}

/// Without `-xerror`, ffmpeg reports that its file could not be written and ends as if it were whole.
#[test]
fn a_video_on_a_full_disk_leaves_nothing() {
    let test = "a_video_on_a_full_disk_leaves_nothing";
    let folder = tempfile::tempdir().expect("a temporary folder");
    let Some(disk) = crate::command::SmallDisk::mount(folder.path().join("disk")) else {
        skip(test, "a small disk, which may not be mounted here", None);
        return;
    };
    if !has_ffmpeg(test) {
        return;
    }
    let rig = repository("examples/walk/rig.ron");
    for name in ["walk.mp4", "walk.webm", "walk.mov"] {
        let film = disk.0.join(name).display().to_string();
        let ran = crate::command::expect(1, &[&rig, "-o", &film, "--frames", "0-11"]);
        assert!(ran.err.contains("No space left on device"), "{}", ran.err);
        assert_eq!(names(&disk.0), Vec::<String>::new(), "{name}");
    }
}
