//! Arbitrary bytes as keypoints: no panic, no hang, an error or a motion.

use super::*;

/// Runs all steps on a file; returns whether a motion came out.
fn run_all_steps(bytes: &[u8]) -> bool {
    let options =
        KeypointOptions { image_size: Some(kurbo::Size::new(640.0, 480.0)), ..KeypointOptions::default() };
    let mut many = KeypointReader::new();
    let first = many.add_frame(0, bytes);
    let _ = many.add_frame(1, bytes);
    let _ = many.add_frame(9, bytes);
    let mut one = KeypointReader::new();
    let whole = one.add_file(bytes);
    for error in [&first, &whole].into_iter().filter_map(|read| read.as_ref().err()) {
        if let Some(span) = &error.span {
            assert!(
                span.start <= span.end && span.end <= bytes.len(),
                "{error}: {span:?} of {}",
                bytes.len()
            );
        }
    }
    let mut came = false;
    for reader in [many, one] {
        if let Ok(capture) = reader.finish(&options) {
            assert!(
                (0..capture.motion.frames()).all(|frame| capture
                    .motion
                    .frame(frame)
                    .iter()
                    .all(|at| at.is_finite()))
            );
            came = true;
        }
    }
    came
}

/// The seeds of the mutations: valid files, and those of the suite of invalid ones.
fn seeds() -> Vec<Vec<u8>> {
    let points: Vec<f64> = (0..75).map(|n| 10.0 + f64::from(n)).collect();
    let coco: Vec<Value> =
        (0..3).map(|at| json!({ "image_id": at, "keypoints": &points[..51], "score": 0.5 })).collect();
    let landmarks: Vec<Value> =
        (0..33).map(|n| json!({ "x": f64::from(n) / 40.0, "y": 0.5, "z": 0, "visibility": 0.9 })).collect();
    let mut seeds = vec![
        body_25(&vec![points.chunks(3).map(|p| [p[0], p[1], p[2]]).collect()]),
        Value::from(coco).to_string().into_bytes(),
        json!([{ "landmarks": landmarks }, { "landmarks": landmarks }]).to_string().into_bytes(),
        json!({ "instance_info": [{ "frame_id": 1, "instances": [{ "keypoints": vec![[1.5, 2.5]; 17], "keypoint_scores": vec![0.5; 17] }] }] })
            .to_string()
            .into_bytes(),
    ];
    let bad = folder().join("../../bad-keypoints");
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(bad).expect("the suite").map(|entry| entry.expect("a file").path()).collect();
    files.retain(|path| path.extension().is_some_and(|end| end == "json"));
    files.sort();
    seeds.extend(
        files.into_iter().map(|path| std::fs::read(path).expect("bytes")).filter(|bytes| !bytes.is_empty()),
    );
    // Most seeds are valid: an invalid file is rejected early.
    let good = seeds[..4].to_vec();
    seeds.extend(good.iter().cycle().take(60).cloned());
    seeds
}

/// `CASES=100000` runs more cases.
#[test]
fn mutations_never_panic() {
    let cases = std::env::var("CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(3000);
    let seeds = seeds();
    assert!(seeds[..3].iter().all(|seed| run_all_steps(seed)));
    let mut random = Random(17);
    let mut came = 0;
    for _ in 0..cases {
        let mut bytes = seeds[random.below(seeds.len())].clone();
        for _ in 0..1 + random.below(4) {
            let at = random.below(bytes.len());
            match random.below(12) {
                0 => bytes[at] = random.below(256) as u8,
                1 => bytes[at] = b"[]{},:\"0-e."[random.below(11)],
                2 => bytes.truncate(at + 1),
                3 => drop(bytes.drain(at..(at + random.below(60)).min(bytes.len()))),
                4 => {
                    let part = bytes[at..(at + random.below(60)).min(bytes.len())].to_vec();
                    let to = random.below(bytes.len());
                    bytes.splice(to..to, part);
                }
                // Mutations that stay valid JSON reach all steps.
                6.. => {
                    let digit = (at..bytes.len()).find(|&at| bytes[at].is_ascii_digit());
                    digit.into_iter().for_each(|at| bytes[at] = b'0' + random.below(10) as u8);
                }
                _ => {
                    let words: [&[u8]; 8] =
                        [b"1e308", b"-1e9", b"null", b"[]", b"{}", b"999999999", b"\"\\ud800\"", b"NaN"];
                    bytes.splice(at..at, words[random.below(8)].iter().copied());
                }
            }
            if bytes.is_empty() {
                bytes.push(b' ');
            }
        }
        came += usize::from(run_all_steps(&bytes));
    }
    assert!(came > cases / 30, "{came} of {cases} came to a motion");
}

#[test]
fn depth_and_length_never_panic() {
    for (open, close) in
        [("[", "]"), ("{\"people\":", "}"), ("{\"keypoints\":", "}"), ("[{\"frames\":", "}]")]
    {
        let deep = open.repeat(100_000) + "1" + &close.repeat(100_000);
        assert!(!run_all_steps(deep.as_bytes()), "{open}");
        assert!(!run_all_steps(open.repeat(100_000).as_bytes()), "{open}");
    }
    assert!(!run_all_steps(format!("[{}null]", "null,".repeat(1_000_001)).as_bytes()));
    assert!(!run_all_steps(
        format!("{{\"people\":[{{\"keypoints\":[{}1]}}]}}", "1,".repeat(1_000_000)).as_bytes()
    ));
    assert!(!run_all_steps(format!("[[{}1]]", "1,".repeat(1_000_000)).as_bytes()));
    assert!(!run_all_steps(format!("[\"{}\"]", "x".repeat(5_000_000)).as_bytes()));
}

/// Crowds: people at one place are one person, others are tracked up to a largest number.
#[test]
fn a_crowd_never_panics() {
    let points: Vec<f64> = (0..75).map(|n| 10.0 + f64::from(n)).collect();
    let one: Vec<[f64; 3]> = points.chunks(3).map(|p| [p[0], p[1], 0.5]).collect();
    let same = capture(&numbered(vec![vec![one.clone(); 200]; 20]), &KeypointOptions::default());
    assert_eq!(same.people.len(), 1);
    let moved = |number: u32| one.iter().map(|p| [p[0] + 300.0 * f64::from(number), p[1], p[2]]).collect();
    let crowd: People = (0..200).map(moved).collect();
    let capture = capture(&numbered(vec![crowd; 20]), &KeypointOptions::default());
    assert!(capture.people.len() >= 32);
    assert!(notes(&capture).contains(&"in 20 frames only the 32 largest people were used"));
}
