//! Several people in the frames, in any order.

use super::*;
use kurbo::Point;

/// A person who stands at `x`, with a little sway.
fn person(x: f64, frame: usize) -> Vec<[f64; 3]> {
    let walk = &WALK[frame % WALK.len()];
    let about = walk[8][0];
    walk.iter().map(|p| if p[2] > 0.0 { [p[0] - about + x, p[1], p[2]] } else { *p }).collect()
}

use std::sync::LazyLock;
static WALK: LazyLock<Vec<Vec<[f64; 3]>>> =
    LazyLock::new(|| walk().into_iter().take(20).map(|mut people| people.pop().expect("a person")).collect());

/// Two people walk past each other, a third stands still, and the order in the list changes.
#[test]
fn people_who_pass_each_other_keep_their_tracks() {
    let mut random = Random(11);
    let frames: Vec<People> = (0..60)
        .map(|frame| {
            let way = 12.0 * frame as f64;
            let mut people =
                vec![person(100.0 + way, frame), person(800.0 - way, frame + 7), person(1000.0, 3)];
            let at = random.below(3);
            people.swap(0, at);
            people
        })
        .collect();
    let mut ends = Vec::new();
    for number in 1..=3 {
        let capture = capture(
            &numbered(frames.clone()),
            &KeypointOptions { person: number, ..KeypointOptions::default() },
        );
        assert_eq!(capture.people.len(), 3, "{:?}", capture.people);
        let hips = capture.motion.find("MidHip").expect("hips");
        let at = |frame: usize| capture.motion.position(frame, hips).x.round();
        ends.push((at(0), at(59)));
    }
    ends.sort_by(|a, b| a.0.total_cmp(&b.0));
    for ((from, to), (x, end)) in ends.into_iter().zip([(100.0, 808.0), (800.0, 92.0), (1000.0, 1000.0)]) {
        let near = |a: f64, b: f64| (a - b).abs() < 8.0;
        assert!(near(from, x) && near(to, end), "from {from} to {to}, not from {x} to {end}");
    }
}

/// A person who returns after a long time is the same person.
#[test]
fn a_person_who_returns_late_keeps_the_track() {
    let frames: Vec<People> = (0..120)
        .map(|frame| if (20..70).contains(&frame) { Vec::new() } else { vec![person(300.0, frame)] })
        .collect();
    let capture = capture(&numbered(frames), &KeypointOptions::default());
    let spans: Vec<((u64, u64), usize)> = capture.people.iter().map(|one| (one.frames, one.found)).collect();
    assert_eq!(spans, [((0, 119), 70)]);
    let notes = notes(&capture).join("\n");
    assert!(notes.contains("was not detected in frames 20-69"), "{notes}");
}

/// A figure of which only the upper half is visible has its neck as the root.
#[test]
fn a_figure_without_hips_has_its_neck_as_root() {
    let frames: Vec<People> = (0..20)
        .map(|frame| {
            let mut points = person(300.0, frame);
            for at in (8..15).chain(19..25) {
                points[at] = [0.0; 3];
            }
            vec![points]
        })
        .collect();
    let capture = capture(&numbered(frames), &KeypointOptions::default());
    let names: Vec<&str> = capture.motion.joints().iter().map(|joint| joint.name.as_str()).collect();
    assert_eq!(
        names,
        ["Neck", "Head", "LShoulder", "LElbow", "LWrist", "RShoulder", "RElbow", "RWrist", "HeadTop"]
    );
    assert!(capture.motion.position(5, 0).distance(Point::new(300.0, 250.0)) < 30.0);
}
