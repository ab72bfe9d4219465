//! Random schedules of a mixer against a model that goes through the time of each clip tick by tick and lists
//! all events and cues that it meets. All times are whole ticks of 1/32 s, so both are exact.

use bone_core::clip::smoothstep;
use bone_layer_tests::player::Player;
use bone_rig::{Cue, FrameState, LayerOptions, Mixer, MixerEvent, Playback, Rig};

use crate::allocations;

/// Schedules of a run; `CASES` runs others.
const SCHEDULES: u64 = 10_000;
const TICKS: f64 = 32.0;

/// A clip as the model knows it: what it passes at each tick, forwards.
struct Timeline {
    name: &'static str,
    ticks: i64,
    looped: bool,
    /// Tick, name, weight; of the clip or the parts, then of the layers.
    events: [Vec<(i64, &'static str, f64)>; 2],
}

fn timelines() -> Vec<Timeline> {
    let whole = |list: &[(i64, &'static str)]| list.iter().map(|(at, name)| (*at, *name, 1.0)).collect();
    let clip = |name, ticks, looped, list: &[(i64, &'static str)]| Timeline {
        name,
        ticks,
        looped,
        events: [whole(list), Vec::new()],
    };
    let (l, r) = ("step.L", "step.R");
    let talk = [(0, "talk.begins"), (24, "say"), (24, "hit"), (40, "open:door"), (48, l)];
    let mut hurry = clip("hurry", 112, true, &[(0, l), (16, r), (32, l)]);
    for round in [48, 64, 80, 96] {
        for (at, name) in [(0, l), (4, "leap"), (8, r)] {
            let since = (round + at - 48) as f64 / 16.0;
            let weight = if since < 1.0 { smoothstep(since) } else { 1.0 };
            hurry.events[0].push((round + at, name, weight));
        }
    }
    let mut chat = clip("chat", 144, false, &talk);
    let back = talk.iter().rev().map(|(at, name)| (144 - at, *name, 1.0));
    chat.events[0].extend(talk.iter().map(|(at, name)| (48 + at, *name, 1.0)));
    chat.events[0].extend(back);
    chat.events[1].extend([(16, l, 0.5), (32, r, 0.5), (48, l, 0.5), (64, r, 0.5)]);
    vec![
        clip("walk", 32, true, &[(0, l), (16, r)]),
        clip("run", 16, true, &[(0, l), (4, "leap"), (8, r)]),
        clip("talk", 48, false, &talk),
        clip("stroll", 96, false, &[(0, l), (16, r), (32, l), (48, r), (64, l), (80, r)]),
        clip("retreat", 96, false, &[(16, r), (32, l), (48, r), (64, l), (80, r), (96, l)]),
        hurry,
        chat,
    ]
}

#[derive(Clone, Copy, PartialEq, Debug)]
enum Met {
    Event(&'static str, f64),
    Cue(Cue),
}

/// A clip that plays.
struct Voice {
    of: Playback,
    /// None for the setup pose.
    clip: Option<usize>,
    time: i64,
    /// Ticks in half a tick of the program.
    speed: i64,
    begins: bool,
    is_layer: bool,
}

impl Voice {
    /// What a step of so many half ticks meets.
    fn step(&mut self, all: &[Timeline], cues: &[(usize, i64, Cue)], by: i64, is_silent: bool) -> Vec<Met> {
        let Some((clip, index)) = self.clip.map(|index| (&all[index], index)) else { return Vec::new() };
        let by = by * self.speed / 2;
        let (from, to) = (self.time, self.time + by);
        let mut ticks: Vec<i64> = Vec::new();
        if by != 0 {
            if self.begins {
                ticks.push(from);
            }
            self.begins = false;
            let to = if clip.looped { to } else { to.clamp(0, clip.ticks) };
            if by > 0 {
                ticks.extend(from + 1..=to);
            } else {
                ticks.extend((to..from).rev());
            }
            self.time = to;
        }
        if clip.looped {
            self.time = self.time.rem_euclid(clip.ticks);
        }
        let mut met = Vec::new();
        for tick in ticks {
            let place = |at: i64| if clip.looped { at.rem_euclid(clip.ticks) } else { at };
            for list in clip.events.iter().filter(|_| !is_silent) {
                let here = list.iter().filter(|(at, ..)| place(*at) == place(tick));
                let mut here: Vec<Met> = here.map(|(_, name, weight)| Met::Event(name, *weight)).collect();
                if by < 0 {
                    here.reverse();
                }
                met.extend(here);
            }
            let cues = cues.iter().filter(|(of, at, _)| *of == index && place(*at) == place(tick));
            met.extend(cues.map(|(.., cue)| Met::Cue(*cue)));
        }
        met
    }
}

struct Random(u64);

impl Random {
    /// Below a number (SplitMix64).
    fn below(&mut self, count: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % count
    }

    fn of<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.below(list.len() as u64) as usize]
    }
}

/// What the mixer reports, without the ends of clips.
fn reported(rig: &Rig, mixer: &Mixer) -> Vec<(Playback, Met)> {
    let name = |event: bone_rig::EventId| {
        let name = rig.events()[event.index()].name.as_str();
        ["step.L", "step.R", "leap", "talk.begins", "say", "hit", "open:door"]
            .into_iter()
            .find(|known| *known == name)
            .expect("a known name")
    };
    let met = mixer.events().iter().filter_map(|event| match *event {
        MixerEvent::Key { of, event, weight } => Some((of, Met::Event(name(event), weight))),
        MixerEvent::Cue { of, cue } => Some((of, Met::Cue(cue))),
        MixerEvent::Overflow => panic!("fewer than 1,000 are passed"),
        _ => None,
    });
    met.collect()
}

#[test]
fn schedules_report_what_a_model_lists_and_allocate_nothing() {
    let count = std::env::var("CASES").ok().and_then(|text| text.parse().ok()).unwrap_or(SCHEDULES);
    let player = Player::open("tests/rigs/events.ron");
    let (rig, all) = (&player.rig, timelines());
    let clip = |index: usize| rig.clip(all[index].name).expect("a clip");
    for (index, timeline) in all.iter().enumerate() {
        let time = clip(index).time();
        assert_eq!((time.length * TICKS, time.looped), (timeline.ticks as f64, timeline.looped));
    }
    let (mut state, mut random) = (FrameState::new(rig), Random(7));
    let (mut met_in_all, mut cues_met, mut made) = (0, 0, 0);
    for schedule in 0..count {
        let mut mixer = Mixer::new(rig);
        let cues: Vec<(usize, i64, Cue)> = (0..random.below(3))
            .map(|_| {
                let (of, at) = (random.below(all.len() as u64) as usize, random.below(60) as i64);
                (of, at, mixer.cue(rig, clip(of), at as f64 / TICKS).expect("a clip"))
            })
            .collect();
        mixer.reserve(rig, 16);
        let mut voices: Vec<Voice> = Vec::new();
        for step in 0..10 {
            for _ in 0..random.below(3) {
                let (fade, index) = (random.of(&[0.0, 0.25, 1.0]), random.below(all.len() as u64) as usize);
                let base = voices.iter().filter(|voice| !voice.is_layer).count();
                let voice =
                    |of, clip, is_layer| Voice { of, clip, time: 0, speed: 2, begins: true, is_layer };
                match random.below(8) {
                    0 | 1 => {
                        let of = mixer.play(rig, clip(index), fade).expect("a clip");
                        voices.insert(base, voice(of, Some(index), false));
                    }
                    2 => {
                        let weight = random.of(&[0.0, 0.5, 1.0]);
                        let options = LayerOptions { weight, fade, ..LayerOptions::default() };
                        let of = mixer.layer(rig, clip(index), options).expect("a clip");
                        voices.push(voice(of, Some(index), true));
                    }
                    3 => {
                        let of = mixer.rest(rig, fade).expect("its own rig");
                        voices.insert(base, voice(of, None, false));
                    }
                    _ if voices.is_empty() => {}
                    4 => {
                        let at = random.below(voices.len() as u64) as usize;
                        mixer.stop(rig, voices[at].of, fade).expect("it plays");
                        if !voices[at].is_layer && at + 1 == base {
                            // The setup pose fades in, with a playback of its own.
                            let of = mixer.rest(rig, fade).expect("its own rig");
                            voices.insert(base, voice(of, None, false));
                        }
                    }
                    5 => {
                        let at = random.below(voices.len() as u64) as usize;
                        let time = random.below(220) as i64 - 60;
                        mixer.set_time(voices[at].of, time as f64 / TICKS).expect("it plays");
                        (voices[at].time, voices[at].begins) = (time, true);
                    }
                    _ => {
                        let at = random.below(voices.len() as u64) as usize;
                        let speed = random.of(&[-4, -2, -1, 0, 1, 2, 6]);
                        mixer.set_speed(voices[at].of, speed as f64 / 2.0).expect("it plays");
                        voices[at].speed = speed;
                    }
                }
            }
            // An even number, so that half the speed is whole ticks, too.
            let by = 2 * random.of(&[0, 1, 1, 2, 3, 5, 16, 40]);
            let seconds = by as f64 / TICKS;
            let allocated = allocations(|| mixer.step(rig, seconds, &mut state).expect("a pose"));
            made += if schedule > 0 { allocated } else { 0 };
            let last_played = voices.iter().rposition(|voice| !voice.is_layer).unwrap_or(0);
            let mut expected = Vec::new();
            for (at, voice) in voices.iter_mut().enumerate() {
                let share = mixer.share(voice.of).unwrap_or(0.0);
                let met = voice.step(&all, &cues, by, at < last_played);
                expected.extend(met.into_iter().map(|met| match met {
                    Met::Event(name, weight) => (voice.of, Met::Event(name, weight * share)),
                    cue => (voice.of, cue),
                }));
            }
            let found = reported(rig, &mixer);
            assert_eq!(found, expected, "schedule {schedule}, step {step}");
            met_in_all += found.len();
            cues_met += found.iter().filter(|(_, met)| matches!(met, Met::Cue(_))).count();
            voices.retain(|voice| mixer.time(voice.of).is_some());
        }
    }
    println!("{met_in_all} passed in {count} schedules, {cues_met} of them cues; {made} allocations");
    assert_eq!(made, 0);
    assert!(met_in_all as u64 > 10 * count && cues_met as u64 > count / 10);
}
