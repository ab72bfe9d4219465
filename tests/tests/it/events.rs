//! Events in a mixer, in edited rigs and in packs. `no_alloc/schedules.rs` compares random schedules with a model.

use std::sync::Arc;

use bone_format::session::{DocPath, DocValue, Edit, Named, Session};
use bone_format::{InMemory, load, no_fonts};
use bone_layer_tests::files::root;
use bone_layer_tests::player::Player;
use bone_rig::{EventId, EventPayload, EventValue, FrameState, Mixer, MixerEvent, Playback, Rig};

fn names(rig: &Rig, mixer: &Mixer) -> Vec<(Playback, String)> {
    let name = |event: EventId| rig.events()[event.index()].name.clone();
    let keys = mixer.events().iter().filter_map(|event| match *event {
        MixerEvent::Key { of, event, .. } => Some((of, name(event))),
        _ => None,
    });
    keys.collect()
}

/// One step of 5 s in a loop of 1 s is 500 steps of 0.01 s.
#[test]
fn long_steps_report_what_short_ones_do() {
    let player = Player::open("tests/rigs/events.ron");
    let rig = &player.rig;
    let mut state = FrameState::new(rig);
    let mut passed = |steps: u32, seconds: f64, speed: f64| {
        let mut mixer = Mixer::new(rig);
        let of = mixer.play(rig, rig.clip("walk").expect("a clip"), 0.0).expect("its own clip");
        mixer.set_time(of, 0.25).expect("it plays");
        mixer.set_speed(of, speed).expect("it plays");
        let mut all = Vec::new();
        for _ in 0..steps {
            mixer.step(rig, seconds, &mut state).expect("a pose");
            all.extend(names(rig, &mixer).into_iter().map(|(_, name)| name));
        }
        all
    };
    for speed in [1.0, -1.0] {
        let once = passed(1, 5.0, speed);
        assert_eq!(once.len(), 10);
        assert_eq!(passed(500, 0.01, speed), once);
    }
    assert_eq!(passed(1, 1.0, 1.0), ["step.R", "step.L"]);
}

#[test]
fn a_step_reports_a_thousand_and_an_overflow() {
    let player = Player::open("tests/rigs/events.ron");
    let rig = &player.rig;
    let (mut state, mut mixer) = (FrameState::new(rig), Mixer::new(rig));
    for name in ["walk", "hurry"] {
        mixer.play(rig, rig.clip(name).expect("a clip"), 0.0).expect("its own clip");
        for seconds in [1e3, 1e9, 1e300] {
            mixer.step(rig, seconds, &mut state).expect("a pose");
            let events = mixer.events();
            let keys = events.iter().filter(|event| matches!(event, MixerEvent::Key { .. })).count();
            assert_eq!(keys, 1000, "{name}");
            assert_eq!(events.iter().filter(|event| **event == MixerEvent::Overflow).count(), 1);
        }
        mixer.step(rig, 0.25, &mut state).expect("a pose");
        assert!(!mixer.events().contains(&MixerEvent::Overflow));
    }
}

#[test]
fn seeking_reports_nothing_between_and_what_fades_out_is_silent() {
    let player = Player::open("tests/rigs/events.ron");
    let rig = &player.rig;
    let (mut state, mut mixer) = (FrameState::new(rig), Mixer::new(rig));
    let walk = rig.clip("walk").expect("a clip");
    let of = mixer.play(rig, walk, 0.0).expect("its own clip");
    let mut step = |mixer: &mut Mixer, seconds: f64| {
        mixer.step(rig, seconds, &mut state).expect("a pose");
        names(rig, mixer)
    };
    let named = |of: Playback, name: &str| (of, name.to_owned());
    assert_eq!(step(&mut mixer, 0.0), [], "nothing has moved yet");
    assert_eq!(step(&mut mixer, 0.25), [named(of, "step.L")], "the first moment");
    mixer.set_time(of, 0.75).expect("it plays");
    assert_eq!(step(&mut mixer, 0.125), []);
    mixer.set_time(of, 0.5).expect("it plays");
    assert_eq!(step(&mut mixer, 0.125), [named(of, "step.R")]);
    let next = mixer.play(rig, walk, 2.0).expect("its own clip");
    assert_eq!(step(&mut mixer, 0.5), [named(next, "step.L"), named(next, "step.R")]);
    let weight = mixer.events().iter().find_map(|event| match event {
        MixerEvent::Key { weight, .. } => Some(*weight),
        _ => None,
    });
    assert_eq!(weight, mixer.share(next));
    assert!(weight.is_some_and(|weight| weight > 0.0 && weight < 1.0));
}

/// A cue is an event of the program: as often as it is passed.
#[test]
fn cues_are_reported_for_each_passing() {
    let player = Player::open("tests/rigs/events.ron");
    let rig = &player.rig;
    let (mut state, mut mixer) = (FrameState::new(rig), Mixer::new(rig));
    let walk = rig.clip("walk").expect("a clip");
    let of = mixer.play(rig, walk, 0.0).expect("its own clip");
    let cue = mixer.cue(rig, walk, 0.25).expect("its own clip");
    mixer.step(rig, 3.0, &mut state).expect("a pose");
    let cues = mixer.events().iter().filter(|event| **event == MixerEvent::Cue { of, cue }).count();
    assert_eq!(cues, 3);
    assert_eq!(mixer.events().last(), Some(&MixerEvent::Looped { of, times: 3 }));
}

#[test]
fn names_and_payloads_are_a_list_of_the_rig_and_in_packs() {
    let player = Player::open("tests/rigs/events.ron");
    let payload = |rig: &Rig, name: &str| -> Option<EventPayload> {
        rig.events().iter().find(|event| event.name == name).map(|event| event.payload.clone())
    };
    let packed = Rig::load(&player.rig.save()).expect("a pack");
    for rig in [&player.rig, &packed] {
        let all: Vec<&str> = rig.events().iter().map(|event| event.name.as_str()).collect();
        assert_eq!(all, ["step.L", "step.R", "leap", "talk.begins", "say", "hit", "open:door"]);
        assert_eq!(payload(rig, "say"), Some(EventPayload::Text("Hello".to_owned())));
        assert_eq!(payload(rig, "hit"), Some(EventPayload::Number(3.5)));
        let values = [
            ("length".to_owned(), EventValue::Number(0.3)),
            ("text".to_owned(), EventValue::Text("door".to_owned())),
            ("locked".to_owned(), EventValue::Flag(false)),
        ];
        assert_eq!(payload(rig, "open:door"), Some(EventPayload::Values(values.to_vec())));
    }
    for clip in player.rig.clips() {
        let packed = packed.clip(clip.name()).expect("it is packed");
        assert_eq!(clip.frame_events(24.0, 0..100, 1000), packed.frame_events(24.0, 0..100, 1000));
    }
}

/// An event that is new in one clip moves those of the clips after it in the list of the rig. Events are keys for
/// edits, too.
#[test]
fn edited_events_are_those_of_a_fresh_load() {
    let read = |path: &str| std::fs::read_to_string(root().join(path)).expect("a file");
    let (text, svg) = (read("tests/rigs/events.ron"), read("tests/rigs/events.svg"));
    let files = |text: &str| Arc::new(InMemory::new().with("a.ron", text).with("events.svg", svg.as_str()));
    let mut session = Session::open("a.ron", files(&text), no_fonts);
    let walk = || DocPath::from(["clips", "walk", "events"]);
    let event = |time: f64, name: &str| DocValue::tuple(None, [time.into(), DocValue::text(name)]);
    let edits = [
        Edit::set(walk(), DocValue::list([event(0.0, "new"), event(0.25, "step.L"), event(0.5, "step.R")])),
        Edit::MoveKey { channel: walk(), from: 0.25, to: 0.375 },
        Edit::key(walk(), 0.75, DocValue::text("newer")),
        Edit::DeleteKey { channel: walk(), time: 0.0 },
        Edit::remove(DocPath::from(["clips", "run", "events"])),
        Edit::Rename { of: Named::Clip, from: "walk".to_owned(), to: "stride".to_owned(), within: None },
    ];
    for (at, edit) in edits.iter().enumerate() {
        session.apply(edit).unwrap_or_else(|error| panic!("{at}: {error}"));
        let fresh = load("a.ron".as_ref(), files(session.text()), &no_fonts).rig.expect("a rig");
        let edited = session.rig().expect("a rig");
        assert_eq!(edited.events(), fresh.events(), "{at}");
        for (one, other) in edited.clips().iter().zip(fresh.clips()) {
            let [one, other] = [one, other].map(|clip| (clip.name(), clip.frame_events(24.0, 0..50, 99)));
            assert_eq!(one, other, "{at}");
        }
    }
    assert!(session.text().contains(r#"events: [(0.375, "step.L"), (0.5, "step.R"), (0.75, "newer")]"#));
}
