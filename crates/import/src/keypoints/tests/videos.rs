//! Synthetic videos with the mistakes of detectors and of editors: every frame of each person is found.

use kurbo::{Affine, Point};

use super::*;
use crate::keypoints::layout::KeypointLayout;
use crate::keypoints::person::{Detection, Keypoint, PersonPose};
use crate::keypoints::person_track::PersonTrack;
use crate::keypoints::track::follow;

const RATE: f64 = 30.0;

/// A person who walks: the hips at `x`, the soles at y = 400, `phase` in steps.
fn walker(x: f64, tall: f64, phase: f64) -> Vec<[f64; 3]> {
    let swing = |shift: f64| Angle::from_degrees(180.0 * (phase + shift)).sin_cos().0;
    let at = |from: Point, degrees: f64, length: f64| {
        from + Angle::from_degrees(degrees).direction() * (length * tall)
    };
    let hips = Point::new(x, 400.0 - 0.53 * tall);
    let neck = at(hips, -88.0, 0.3);
    let mut points = [Point::ZERO; 25];
    points[0] = at(neck, -75.0, 0.1);
    points[1] = neck;
    points[8] = hips;
    for (side, shift) in [(0, 0.0), (1, 1.0)] {
        let away = if side == 0 { 0.01 } else { -0.01 } * tall;
        let shoulder = neck + Vec2::new(away, 0.01 * tall);
        let elbow = at(shoulder, 90.0 + 22.0 * swing(shift), 0.17);
        let wrist = at(elbow, 75.0 + 22.0 * swing(shift), 0.15);
        let hip = hips + Vec2::new(away, 0.0);
        let knee = at(hip, 90.0 - 24.0 * swing(shift), 0.25);
        let ankle = at(knee, 100.0 - 18.0 * swing(shift), 0.24);
        let toe = at(ankle, 25.0, 0.1);
        let heel = at(ankle, 110.0, 0.04);
        let arm = 2 + 3 * side;
        points[arm..arm + 3].copy_from_slice(&[shoulder, elbow, wrist]);
        let leg = 9 + 3 * side;
        points[leg..leg + 3].copy_from_slice(&[hip, knee, ankle]);
        let (toes, heels) = if side == 0 { (22, 24) } else { (19, 21) };
        points[toes] = toe;
        points[heels] = heel;
    }
    let seen = [15, 16, 17, 18, 20, 23];
    let point = |(at, place): (usize, &Point)| {
        if seen.contains(&at) { [0.0; 3] } else { [place.x, place.y, 0.9] }
    };
    points.iter().enumerate().map(point).collect()
}

/// The same with noise of a few pixels.
fn noisy(person: &[[f64; 3]], random: &mut Random, pixels: usize) -> Vec<[f64; 3]> {
    let mut noise = || random.below(2 * pixels + 1) as f64 - pixels as f64;
    person.iter().map(|&[x, y, c]| if c > 0.0 { [x + noise(), y + noise(), c] } else { [0.0; 3] }).collect()
}

fn placed(person: &[[f64; 3]], affine: Affine) -> Vec<[f64; 3]> {
    let moved = |&[x, y, c]: &[f64; 3]| {
        let at = affine * Point::new(x, y);
        if c > 0.0 { [at.x, at.y, c] } else { [0.0; 3] }
    };
    person.iter().map(moved).collect()
}

fn pose(person: &[[f64; 3]]) -> PersonPose {
    let seen = |&[x, y, confidence]: &[f64; 3]| {
        (confidence > 0.0).then_some(Detection { at: Point::new(x, y), confidence })
    };
    KeypointLayout::Body25.body(&person.iter().map(seen).collect::<Vec<_>>())
}

/// A video: the true people of each frame, and what else was detected.
struct Video {
    truth: Vec<Vec<Option<Vec<[f64; 3]>>>>,
    frames: Vec<People>,
}

impl Video {
    /// `people` returns the visible people of a frame, `more` detections that are not people.
    fn new(
        count: usize,
        seed: u64,
        people: impl Fn(usize) -> Vec<Option<Vec<[f64; 3]>>>,
        mut more: impl FnMut(usize, &[Option<Vec<[f64; 3]>>], &mut Random) -> People,
    ) -> Self {
        let mut random = Random(seed);
        let truth: Vec<_> = (0..count).map(people).collect();
        let frames = truth.iter().enumerate().map(|(frame, truth)| {
            let mut people: People =
                truth.iter().flatten().map(|person| noisy(person, &mut random, 2)).collect();
            people.extend(more(frame, truth, &mut random));
            let at = random.below(people.len().max(1));
            people.rotate_left(at);
            people
        });
        let frames = frames.collect();
        Self { truth, frames }
    }

    fn tracks(&self) -> Vec<PersonTrack> {
        let frames: Vec<Vec<PersonPose>> =
            self.frames.iter().map(|people| people.iter().map(|person| pose(person)).collect()).collect();
        follow(&frames, RATE)
    }

    /// For each person the number of frames in which one track has this person, and the number of frames in
    /// which the person is visible.
    fn found(&self) -> Vec<(usize, usize)> {
        let tracks = self.tracks();
        let hips = Keypoint::Pelvis.at();
        (0..self.truth[0].len())
            .map(|number| {
                let seen = (0..self.truth.len()).filter(|&frame| self.truth[frame][number].is_some());
                let is_here = |track: &PersonTrack, frame: usize| {
                    let body = frame.checked_sub(track.first).and_then(|at| track.bodies.get(at)?.as_ref());
                    let (Some(body), Some(truth)) = (body, &self.truth[frame][number]) else { return false };
                    let (Some(found), Some(true_hips)) = (body[hips], pose(truth)[hips]) else {
                        return false;
                    };
                    found.at.distance(true_hips.at) < 15.0
                };
                let most = |track: &PersonTrack| seen.clone().filter(|&f| is_here(track, f)).count();
                (tracks.iter().map(most).max().unwrap_or_default(), seen.clone().count())
            })
            .collect()
    }

    fn check(&self, what: &str) {
        let found = self.found();
        assert!(found.iter().all(|(found, seen)| found == seen), "{what}: {found:?}");
    }

    /// The largest step of the hips between two frames in the repaired motion of a person, pixels.
    fn largest_step(&self, number: usize) -> f64 {
        let options = KeypointOptions { person: number, ..KeypointOptions::default() };
        let capture = capture(&numbered(self.frames.clone()), &options);
        let hips = capture.motion.find("MidHip").expect("hips");
        let at = |frame| capture.motion.position(frame, hips);
        (1..capture.motion.frames()).map(|frame| at(frame).distance(at(frame - 1))).fold(0.0, f64::max)
    }
}

fn walking(frame: usize) -> Vec<[f64; 3]> {
    walker(100.0 + 4.0 * frame as f64, 300.0, frame as f64 / 15.0)
}

#[test]
fn doubled_detections_cost_no_frame() {
    for seed in 1..9 {
        let video = Video::new(
            120,
            seed,
            |frame| vec![Some(walking(frame))],
            |_, truth, random| match (random.below(6), &truth[0]) {
                (0, Some(person)) => {
                    let apart = random.below(24) as f64 - 12.0;
                    vec![placed(&noisy(person, random, 4), Affine::translate((apart, 5.0)))]
                }
                // A detector that finds the upper half once more.
                (1, Some(person)) => {
                    let mut half = noisy(person, random, 3);
                    half[9..].fill([0.0; 3]);
                    vec![half]
                }
                _ => Vec::new(),
            },
        );
        video.check("doubled");
        assert_eq!(video.tracks().len(), 1, "seed {seed}");
    }
    // One doubled detection, far enough away to be a second person.
    let video = Video::new(
        120,
        3,
        |frame| vec![Some(walking(frame))],
        |frame, truth, _| match (frame, &truth[0]) {
            (40, Some(person)) => vec![placed(person, Affine::translate((45.0, 10.0)))],
            _ => Vec::new(),
        },
    );
    video.check("doubled once");
}

#[test]
fn a_cut_costs_no_frame() {
    for (seed, scale, x) in [(1, 1.0, 500.0), (2, 0.6, 900.0), (3, 1.7, -120.0), (4, 1.0, 150.0)] {
        let after = Affine::translate((x, 0.0)) * Affine::scale_about(scale, (0.0, 400.0));
        let video = Video::new(
            120,
            seed,
            |frame| {
                // After the cut the person is in another phase of the step.
                let person = if frame < 50 { walking(frame) } else { placed(&walking(frame + 7), after) };
                vec![Some(person)]
            },
            |_, _, _| Vec::new(),
        );
        video.check("cut");
        let step = video.largest_step(1);
        assert!(step < 20.0, "{seed}: the hips leap by {step}");
    }
}

#[test]
fn jumps_of_the_crop_cost_no_frame() {
    let crop = |frame: usize| {
        let steps = [(0.0, 0.0), (190.0, -30.0), (-140.0, 20.0), (210.0, 0.0)];
        let (x, y) = steps[frame / 32];
        Affine::translate((x, y)) * Affine::scale([1.0, 1.0, 1.3, 0.9][frame / 32])
    };
    for count in 1..4 {
        let video = Video::new(
            120,
            5,
            |frame| {
                let person = |number: usize| {
                    let x = 200.0 * number as f64 + 2.0 * frame as f64;
                    placed(&walker(x, 300.0, (frame + 5 * number) as f64 / 15.0), crop(frame))
                };
                (0..count).map(|number| Some(person(number))).collect()
            },
            |_, _, _| Vec::new(),
        );
        video.check(&format!("crop, {count} people"));
        for person in 1..=count {
            let step = video.largest_step(person);
            assert!(step < 12.0, "{count}: the hips leap by {step}");
        }
    }
}

#[test]
fn a_person_who_leaves_and_returns_is_one() {
    for away in [10, 40, 70] {
        let video = Video::new(
            160,
            7,
            |frame| {
                let there = !(60..60 + away).contains(&frame);
                vec![there.then(|| walking(frame)), Some(walker(700.0, 280.0, frame as f64 / 20.0))]
            },
            |_, _, _| Vec::new(),
        );
        video.check("left");
        assert_eq!(video.tracks().len(), 2);
    }
}

#[test]
fn people_who_cross_keep_their_frames() {
    for seed in 1..6 {
        let video = Video::new(
            120,
            seed,
            |frame| {
                let way = 6.0 * frame as f64;
                vec![
                    Some(walker(100.0 + way, 300.0, frame as f64 / 15.0)),
                    Some(walker(800.0 - way, 290.0, (frame + 9) as f64 / 14.0)),
                ]
            },
            |_, truth, random| match (random.below(12), &truth[random.below(2)]) {
                (0, Some(person)) => vec![noisy(person, random, 5)],
                _ => Vec::new(),
            },
        );
        video.check("crossing");
    }
}

#[test]
fn false_people_take_no_frame() {
    for seed in 1..6 {
        let hidden = |frame: usize| frame % 37 > 33;
        let video = Video::new(
            150,
            seed,
            |frame| vec![(!hidden(frame)).then(|| walking(frame))],
            |frame, _, random| {
                // In some of these frames the person is not detected.
                if random.below(4) > 0 && !hidden(frame) {
                    return Vec::new();
                }
                let x = 1000.0 + random.below(600) as f64;
                vec![walker(x, 100.0 + random.below(300) as f64, random.below(30) as f64 / 15.0)]
            },
        );
        video.check("false people");
        let step = video.largest_step(1);
        assert!(step < 20.0, "{seed}: the hips leap by {step}");
    }
}
