//! Outfits: what is worn is drawn as by a rig whose drawing was changed by hand, in players, packs and mixed clips too.

use std::path::Path;
use std::sync::Arc;

use bone_drawing::{ArtProperty, FlatFrame};
use bone_format::session::{Edit, Named, Session};
use bone_format::{InMemory, no_fonts};
use bone_layer_tests::files::root;
use bone_layer_tests::picture::difference;
use bone_layer_tests::player::Player;
use bone_player::{Character, PlayOptions, PlayerScratch};
use bone_rig::{ArtValue, FrameState, LayerOptions, Mixer, Overrides, Rig};
use kurbo::Affine;

const RIG: &str = "tests/rigs/outfits.ron";

fn texts() -> (String, String) {
    let read = |path: &str| std::fs::read_to_string(root().join(path)).expect("a file");
    (read(RIG), read("tests/rigs/outfits.svg"))
}

fn load(rig: &str, svg: &str) -> Player {
    let files = InMemory::new().with("outfits.ron", rig).with("outfits.svg", svg);
    Player::load(Path::new("outfits.ron"), Arc::new(files))
}

fn wearing(names: &[&str]) -> Player {
    let mut player = Player::open(RIG);
    let worn: Vec<usize> = names.iter().map(|name| player.rig.outfit(name).expect("an outfit")).collect();
    assert!(player.rig.set_worn(&worn));
    player
}

/// A text in which each of these occurs once and is replaced.
fn replaced(text: &str, changes: &[(&str, &str)]) -> String {
    changes.iter().fold(text.to_owned(), |text, (old, new)| {
        assert_eq!(text.matches(old).count(), 1, "{old}");
        text.replacen(old, new, 1)
    })
}

/// The rig without outfits, and without bindings and bones of art that its drawing hides.
fn plain(rig: &str, hidden: &[&str]) -> String {
    let end = rig.find("    outfits: {").expect("outfits");
    let binds = |line: &&str| {
        let line = line.trim_start();
        let is_of = |art: &&str| {
            line.contains(&format!("(art: \"{art}\", bone")) || line.starts_with(&format!("\"{art}."))
        };
        hidden.iter().any(is_of)
    };
    let kept: Vec<&str> = rig[..end].lines().filter(|line| !binds(line)).collect();
    format!("{}\n)", kept.join("\n"))
}

fn assert_drawn_alike(worn: &Player, by_hand: &Player) {
    let (mut own, mut other) = (FrameState::new(&worn.rig), FrameState::new(&by_hand.rig));
    for name in ["talk", "nod"] {
        for frame in 0..12 {
            let a = worn.draw(worn.clip(Some(name)), frame, 1.0, &mut own);
            let b = by_hand.draw(by_hand.clip(Some(name)), frame, 1.0, &mut other);
            let found = difference(&a, &b);
            assert_eq!(found.pixels, 0, "{name} {frame}: {found:?}");
        }
    }
}

const NO_CONSTRAINTS: [(&str, &str); 2] = [
    (r#"        Aim(name: "lean", bone: "cane", target: (170, 60)),"#, ""),
    (r#"        Aim(name: "stare", bone: "neck", target: (180, 60)),"#, ""),
];
const NO_SPRINGS: (&str, &str) = (r#"    springs: [(chain: "cape.1", stiffness: 1.5, damping: 0.2)],"#, "");

#[test]
fn an_outfit_is_drawn_as_a_drawing_without_what_it_hides() {
    let (rig, svg) = texts();
    let no_shirt = [
        (r#"                "shirt": (visible: [(0, true), (0.5, false), (0.75, true)]),"#, ""),
        NO_CONSTRAINTS[0],
        NO_CONSTRAINTS[1],
        NO_SPRINGS,
    ];
    let winter = replaced(
        &svg,
        &[
            (r#"      <path id="shirt" d="M75 84 Q100 76 125 84 V135 H75 Z" fill="url(#cloth)"/>"#, ""),
            (r#"<g id="coat" style="display:none">"#, r#"<g id="coat">"#),
            (r##"126 44 Z" fill="#357"/>"##, r##"126 44 Z" fill="#a33" opacity="0.8"/>"##),
        ],
    );
    assert_drawn_alike(
        &wearing(&["winter"]),
        &load(&replaced(&plain(&rig, &["shirt", "cape", "mouths.metal"]), &no_shirt), &winter),
    );
}

#[test]
fn art_in_the_place_of_other_art_does_what_that_does() {
    let (rig, svg) = texts();
    let rig = replaced(
        &plain(&rig, &["mouths", "cape", "coat"]),
        &[
            (r#"                "mouths": (switch:"#, r#"                "mouths.metal": (switch:"#),
            NO_CONSTRAINTS[0],
            NO_SPRINGS,
        ],
    );
    let svg = replaced(
        &svg,
        &[
            (r#"<g id="mouths">"#, r#"<g id="mouths.organic" display="none">"#),
            (r#"<g id="mouths.metal" style="display:none">"#, r#"<g id="mouths.metal">"#),
            (r#"<path id="grille""#, r#"<path id="grille" display="none""#),
            (r##"126 44 Z" fill="#357"/>"##, r##"126 44 Z" fill="#99a"/>"##),
        ],
    );
    assert_drawn_alike(&wearing(&["robot"]), &load(&rig, &svg));
}

#[test]
fn springs_and_constraints_come_with_what_names_them() {
    let (rig, svg) = texts();
    let svg = svg.replacen(r##"fill="#2f6f5e" style="display:none"/>"##, r##"fill="#2f6f5e"/>"##, 1);
    let rig = plain(&rig, &["coat", "mouths.metal"]);
    assert_drawn_alike(&Player::open(RIG), &load(&replaced(&rig, &[NO_CONSTRAINTS[1]]), &svg));
    // Without the outfit the cape hangs as keyed, whether it is seen or not.
    let worn = wearing(&[]);
    let still = load(&replaced(&rig, &[NO_CONSTRAINTS[0], NO_CONSTRAINTS[1], NO_SPRINGS]), &svg);
    let (mut own, mut other) = (FrameState::new(&worn.rig), FrameState::new(&still.rig));
    for frame in 0..24 {
        worn.pose(worn.clip(Some("talk")), frame, &mut own);
        still.pose(still.clip(Some("talk")), frame, &mut other);
        assert_eq!(own.world().matrices(), other.world().matrices(), "frame {frame}");
    }
}

/// Of two outfits, the one that is put on later wins where both set a value, and nowhere else.
#[test]
fn the_order_decides_what_both_set() {
    let value = |player: &Player, art: &str, property: ArtProperty| {
        let element = player.rig.art().find(art).expect("art");
        let mut state = FrameState::new(&player.rig);
        player.pose(player.clip(Some("nod")), 3, &mut state);
        state.art().get(player.rig.draw_order(), property, element)
    };
    let [first, second] = [["winter", "robot"], ["robot", "winter"]].map(|worn| wearing(&worn));
    let hat = |player: &Player| value(player, "hat", ArtProperty::Fill);
    assert_eq!(hat(&first), Some(ArtValue::from([0x99, 0x99, 0xaa])));
    assert_eq!(hat(&second), Some(ArtValue::from([0xaa, 0x33, 0x33])));
    for (art, property) in
        [("hat", ArtProperty::Opacity), ("legs", ArtProperty::Fill), ("coat", ArtProperty::Visible)]
    {
        assert_eq!(value(&first, art, property), value(&second, art, property), "{art}");
    }
    assert_eq!(value(&first, "hat", ArtProperty::Opacity), Some(0.8.into()));
    // Of one group the last counts alone: summer hides the hat, and nothing of winter is left.
    assert_drawn_alike(&wearing(&["winter", "summer"]), &wearing(&["summer"]));
    assert_drawn_alike(&wearing(&["summer", "winter"]), &wearing(&["winter"]));
}

fn flat(player: &bone_player::Player, scratch: &mut PlayerScratch) -> FlatFrame {
    let mut flat = FlatFrame::default();
    player.paint(scratch, Affine::IDENTITY, &mut flat);
    flat
}

#[test]
fn players_change_their_outfits_while_they_play() {
    let worn: [&[&str]; 5] = [&["winter"], &["robot", "caped"], &[], &["summer", "winter"], &["caped"]];
    let shared = Character::from_rig(Arc::new(Player::open(RIG).rig));
    let packed = Character::from_pack(&shared.rig().save()).expect("a pack");
    let mut scratch = PlayerScratch::new();
    let [mut one, mut other] = [&shared, &packed].map(Character::player);
    for (round, names) in worn.iter().enumerate() {
        // What the rig wears by itself in place of what the player puts on.
        let own = Character::from_rig(Arc::new(wearing(names).rig));
        let mut expected = own.player();
        let talk = own.clip("talk").expect("a clip");
        expected.play(talk, PlayOptions::default()).expect("a clip");
        let outfits: Vec<usize> = names.iter().map(|name| shared.outfit(name).expect("an outfit")).collect();
        for player in [&mut one, &mut other] {
            *player = player.character().player();
            player.play(talk, PlayOptions::default()).expect("a clip");
            player.wear(Some(&outfits)).expect("its outfits");
        }
        for frame in 0..30 {
            for player in [&mut expected, &mut one, &mut other] {
                player.step(1.0 / 24.0, &mut scratch).expect("a step");
            }
            let wanted = flat(&expected, &mut scratch);
            for player in [&one, &other] {
                assert_eq!(flat(player, &mut scratch), wanted, "round {round}, frame {frame}");
            }
        }
        // Two figures of one character in one memory, that wear different things.
        let mut naked = shared.player();
        naked.wear(Some(&[])).expect("nothing");
        naked.step(0.0, &mut scratch).expect("a step");
        let (before, beside) = (flat(&one, &mut scratch), flat(&naked, &mut scratch));
        assert_eq!(flat(&one, &mut scratch), before, "round {round}");
        assert_eq!(flat(&naked, &mut scratch), beside, "round {round}");
    }
    assert!(one.wear(Some(&[9])).is_err());
    assert!(shared.outfit("wintr").is_err_and(|error| error.near == ["winter"]));
    // Before the first step a player wears what the rig says.
    let (mut first, mut expected) = (shared.player(), shared.player());
    expected.step(0.0, &mut scratch).expect("a step");
    let painted =
        |player: &bone_player::Player, scratch: &mut PlayerScratch| flat(player, scratch).commands().len();
    assert_eq!(painted(&first, &mut scratch), 7);
    assert_eq!(painted(&expected, &mut scratch), 7);
    first.wear(None).expect("what the rig says");
}

/// Clips that fade leave what they do not key as it is worn.
#[test]
fn what_is_worn_is_where_nothing_is_keyed_while_clips_are_mixed() {
    let rig = wearing(&["summer"]).rig;
    let legs = rig.art().find("legs").expect("art");
    let (talk, nod) = (rig.clip("talk").expect("a clip"), rig.clip("nod").expect("a clip"));
    let mut mixer = Mixer::new(&rig);
    let mut state = FrameState::new(&rig);
    mixer.play(&rig, talk, 0.0).expect("a clip");
    mixer.step(&rig, 0.5, &mut state).expect("a step");
    mixer.play(&rig, nod, 1.0).expect("a clip");
    mixer.layer(&rig, nod, LayerOptions::default()).expect("a clip");
    for step in 1..=10 {
        mixer.step(&rig, 0.05, &mut state).expect("a step");
        let share = 0.05 * f64::from(step);
        let [keyed, _, _] = keyed(&rig, 0.5 + share);
        let Some(ArtValue::Color([red, _, _])) = state.art().get(rig.draw_order(), ArtProperty::Fill, legs)
        else {
            panic!("no colour")
        };
        // From what is keyed to what is worn: 0xcc.
        let wanted = keyed + (204.0 - keyed) * share * share * (3.0 - 2.0 * share);
        assert!((red - wanted).abs() < 1e-9, "step {step}: {red} and not {wanted}");
    }
}

fn keyed(rig: &Rig, time: f64) -> [f64; 3] {
    let mut state = FrameState::new(rig);
    rig.pose(rig.clip("talk"), time, &mut state).expect("a pose");
    let legs = rig.art().find("legs").expect("art");
    match state.art().get(rig.draw_order(), ArtProperty::Fill, legs) {
        Some(ArtValue::Color(color)) => color,
        other => panic!("{other:?}"),
    }
}

/// A state of a rig is as it was after something else was worn for a frame.
#[test]
fn overrides_wear_for_one_frame() {
    let player = Player::open(RIG);
    let (mut state, mut fresh) = (FrameState::new(&player.rig), FrameState::new(&player.rig));
    let talk = player.clip(Some("talk"));
    let mut overrides = Overrides::new();
    overrides.worn = Some(vec![0, 2]);
    for frame in 0..6 {
        let time = f64::from(frame) / 24.0;
        player.rig.pose_with(talk, time, &overrides, &mut state).expect("a pose");
        player.rig.pose(talk, time, &mut state).expect("a pose");
        player.rig.pose(talk, time, &mut fresh).expect("a pose");
        assert_eq!(state.art(), fresh.art(), "frame {frame}");
        assert_eq!(state.visibilities(), fresh.visibilities(), "frame {frame}");
        assert_eq!(state.frame(), fresh.frame(), "frame {frame}");
    }
    overrides.worn = Some(vec![4]);
    assert!(player.rig.pose_with(talk, 0.0, &overrides, &mut state).is_err());
}

/// Renaming and deleting follow names into outfits.
#[test]
fn edits_follow_names_into_outfits() {
    let (rig, svg) = texts();
    let files = InMemory::new().with("outfits.ron", rig).with("outfits.svg", svg);
    let mut session = Session::open("outfits.ron", Arc::new(files), no_fonts);
    let rename = |of, from: &str, to: &str| Edit::Rename {
        of,
        from: from.to_owned(),
        to: to.to_owned(),
        within: None,
    };
    for edit in [
        rename(Named::Outfit, "caped", "cloaked"),
        rename(Named::Constraint, "stare", "look"),
        rename(Named::Bone, "cape.1", "cape.top"),
        Edit::set(["outfits", "winter", "group"], "coats"),
    ] {
        let applied = session.apply(&edit);
        assert!(applied.is_ok(), "{:?}", applied.err());
    }
    let text = session.text().to_owned();
    for part in [
        r#"wear: ["cloaked"]"#,
        r#""cloaked": (show: ["cape"], springs: ["cape.top"], constraints: ["lean"])"#,
        r#"constraints: ["look"], art: {"hat""#,
        r#"group: "coats", show: ["coat"]"#,
    ] {
        assert!(text.contains(part), "{part} is not in {text}");
    }
}
