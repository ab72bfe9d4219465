//! Packed rigs: they play and draw as the rigs that they were made of, to the byte, and bytes that are
//! anything else give a message.

use std::time::Instant;

use bone_layer_tests::files::{good_rigs, shown};
use bone_layer_tests::player::Player;
use bone_render::{Background, FrameOptions, FrameSize, Pixmap};
use bone_rig::{ArchiveError, FrameState, Rig};
use kurbo::Point;

/// Some moments of a clip, also between frames, before its start and after its end.
const SHARES: [f64; 5] = [0.0, 0.313, 0.5, 0.87, 1.2];

fn packed(player: &Player) -> Vec<u8> {
    player.rig.save()
}

#[test]
fn a_packed_rig_plays_and_draws_the_same_bytes() {
    for path in good_rigs() {
        let player = Player::open(&path);
        let bytes = packed(&player);
        let loaded = Rig::load(&bytes).unwrap_or_else(|error| panic!("{}: {error}", shown(&path)));
        assert_eq!(loaded.save(), bytes, "{}: packed again", shown(&path));
        let own = &player.rig;
        let (mut one, mut two) = (FrameState::new(own), FrameState::new(&loaded));
        assert_eq!(own.clips().len(), loaded.clips().len());
        assert_eq!(own.fps(), loaded.fps());
        for bone in own.skeleton().bones() {
            assert_eq!(own.skeleton().name(bone), loaded.skeleton().name(bone));
            assert_eq!(loaded.skeleton().find(own.skeleton().name(bone)), Some(bone));
        }
        for (id, element) in (0..own.art().elements().len()).zip(own.art().elements()) {
            assert_eq!(element.name(), loaded.art().elements()[id].name());
        }
        let size = FrameSize::from_scale(own.art().size(), 0.4).expect("a usable scale");
        let options = FrameOptions { size, background: Some(Background { rgba: [255; 4] }) };
        let mut pictures = [Pixmap::new(1, 1).expect("memory"), Pixmap::new(1, 1).expect("memory")];
        let clips = own.clips().iter().map(Some).zip(loaded.clips().iter().map(Some));
        for (clip, twin) in clips.chain([(None, None)]) {
            assert_eq!(
                clip.map(|clip| (clip.name(), clip.time())),
                twin.map(|clip| (clip.name(), clip.time()))
            );
            let length = clip.map_or(0.0, |clip| clip.time().length);
            for (at, share) in SHARES.into_iter().enumerate() {
                own.pose(clip, length * share, &mut one).expect("its clip");
                loaded.pose(twin, length * share, &mut two).expect("its clip");
                assert_eq!(one.frame(), two.frame(), "{}: {share}", shown(&path));
                assert_eq!(one.driven(), two.driven());
                own.write_svg(&mut one);
                loaded.write_svg(&mut two);
                assert!(one.svg() == two.svg(), "{}: {share}", shown(&path));
                // Drawing takes longest.
                if at % 2 == 1 {
                    own.draw(&mut one, &options, &mut pictures[0]).expect("a picture");
                    loaded.draw(&mut two, &options, &mut pictures[1]).expect("a picture");
                    assert!(pictures[0] == pictures[1], "{}: {share}", shown(&path));
                }
            }
        }
    }
}

#[test]
fn the_same_rig_gives_the_same_bytes() {
    let open = || packed(&Player::open("examples/walk/rig.ron"));
    assert!(open() == open());
}

/// Prints how long packed rigs load, and their sizes; judges nothing.
#[test]
fn the_time_of_loading_and_the_sizes() {
    for path in good_rigs().iter().filter(|path| shown(path).starts_with("examples")) {
        let started = Instant::now();
        let player = Player::open(path);
        let whole = started.elapsed().as_secs_f64() * 1e3;
        let bytes = packed(&player);
        let least = (0..9).map(|_| {
            let started = Instant::now();
            drop(Rig::load(&bytes).expect("a pack"));
            started.elapsed().as_secs_f64() * 1e3
        });
        let least = least.fold(f64::INFINITY, f64::min);
        println!("{}: {} bytes, {least:.2} ms; from files {whole:.1} ms", shown(path), bytes.len());
    }
}

#[test]
fn other_bytes_have_a_message_each() {
    let bytes = packed(&Player::open("examples/first-bone/rig.ron"));
    let message = |bytes: &[u8]| Rig::load(bytes).expect_err("not a rig").to_string();
    assert_eq!(message(b""), "this is not a packed rig");
    assert_eq!(message(b"<svg xmlns='http://www.w3.org/2000/svg'/>"), "this is not a packed rig");
    let mut future = bytes.clone();
    let known = u32::from(bytes[8]);
    future[8] += 1;
    assert_eq!(Rig::load(&future).expect_err("future"), ArchiveError::Version { found: known + 1, known });
    let newer = format!("newer program (version {}", known + 1);
    assert!(message(&future).contains(&newer), "{}", message(&future));
    assert!(message(&bytes[..bytes.len() - 1]).contains("cut off"));
    assert!(message(&bytes[..20]).contains("cut off"));
    let longer: Vec<u8> = bytes.iter().copied().chain([0]).collect();
    assert!(message(&longer).contains("1 bytes too many"));
    let mut damaged = bytes.clone();
    damaged[bytes.len() / 2] ^= 1;
    assert_eq!(Rig::load(&damaged).expect_err("damaged"), ArchiveError::Checksum);
}

/// Xorshift (Marsaglia, 2003): the same numbers everywhere.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, end: usize) -> usize {
        (self.next() % end.max(1) as u64) as usize
    }
}

/// The header: name, version, length and checksum.
const HEADER: usize = 28;

/// The FNV-1a of the archive's payload by words, written anew from its description.
fn checksum(payload: &[u8]) -> u64 {
    let words = payload.chunks_exact(8).map(|word| u64::from_le_bytes(word.try_into().expect("eight bytes")));
    let rest = payload.chunks_exact(8).remainder().iter().map(|byte| u64::from(*byte));
    words.chain(rest).fold(0xcbf2_9ce4_8422_2325, |hash, word| {
        let product = (hash ^ word).wrapping_mul(0x100_0000_01b3);
        product ^ (product >> 32)
    })
}

/// One change of an archive.
fn mutated(bytes: &[u8], random: &mut Random) -> Vec<u8> {
    const NUMBERS: [f64; 8] = [0.0, -0.0, f64::NAN, f64::INFINITY, 1e308, -1e300, f64::MIN_POSITIVE, -1.0];
    let mut bytes = bytes.to_vec();
    let at = HEADER + random.below(bytes.len() - HEADER);
    match random.below(8) {
        0 | 1 => bytes[at] ^= 1 << random.below(8),
        2 => bytes[at] = random.next() as u8,
        3 => bytes.truncate(at),
        4 => {
            let end = (at + 1 + random.below(16)).min(bytes.len());
            bytes.drain(at..end);
        }
        5 => {
            let more: Vec<u8> = (0..=random.below(16)).map(|_| random.next() as u8).collect();
            bytes.splice(at..at, more);
        }
        6 => {
            // A count or an index that is far too large.
            let end = (at + 1).min(bytes.len());
            bytes.splice(at..end, [0xff, 0xff, 0xff, 0xff, 0x7f]);
        }
        _ => {
            // A number in full, where a short one may be.
            let number = NUMBERS[random.below(NUMBERS.len())].to_le_bytes();
            let end = (at + random.below(10)).min(bytes.len());
            bytes.splice(at..end, std::iter::once(7).chain(number));
        }
    }
    bytes
}

#[test]
fn ten_thousand_damaged_packs_are_refused_or_play() {
    let packs: Vec<(String, Vec<u8>, bool)> = good_rigs()
        .iter()
        .map(|path| {
            let player = Player::open(path);
            (shown(path), packed(&player), !player.rig.springs().is_empty())
        })
        .filter(|(_, bytes, _)| bytes.len() < 150_000)
        .collect();
    assert!(packs.len() > 10, "{}", packs.len());
    let (mut refused, mut played) = (0, 0);
    let mut panicked = Vec::new();
    for number in 0..10_000_u64 {
        let seed = 0x9e37_79b9_7f4a_7c15_u64.wrapping_mul(number + 1);
        let mut random = Random(seed);
        let (name, bytes, springs) = &packs[random.below(packs.len())];
        let whole = bytes;
        let mut bytes = mutated(whole, &mut random);
        while bytes == *whole {
            bytes = mutated(whole, &mut random);
        }
        // Half of them with a header that fits, so that what is behind it has to refuse them.
        let fits = number % 2 == 0;
        if fits {
            let payload = bytes[HEADER..].to_vec();
            bytes[12..20].copy_from_slice(&(payload.len() as u64).to_le_bytes());
            bytes[20..28].copy_from_slice(&checksum(&payload).to_le_bytes());
        }
        let caught = std::panic::catch_unwind(|| {
            let rig = match Rig::load(&bytes) {
                Ok(rig) => rig,
                Err(error) => {
                    assert!(!error.to_string().is_empty());
                    return false;
                }
            };
            assert!(fits, "a wrong checksum was accepted");
            let mut state = FrameState::new(&rig);
            // Baking takes long.
            let clips = if *springs && number % 20 != 0 { &[] } else { rig.clips() };
            for clip in clips.iter().map(Some).chain([None]) {
                let length = clip.map_or(0.0, |clip| clip.time().length);
                // Long clips with springs are simulated in full.
                if *springs && length > 20.0 {
                    continue;
                }
                for share in [0.0, 0.61] {
                    let _ = rig.pose(clip, length * share, &mut state);
                }
            }
            rig.write_svg(&mut state);
            rig.hit_test(&state, Point::new(30.0, 40.0), 5.0);
            let _ = rig.art().find("nothing");
            true
        });
        match caught {
            Ok(true) => played += 1,
            Ok(false) => refused += 1,
            Err(_) => panicked.push(format!("{name}: mutation {number}, seed {seed:#x}")),
        }
    }
    assert!(panicked.is_empty(), "{panicked:#?}");
    println!("{refused} refused, {played} played");
    assert!(refused > 6_000 && played > 200, "{refused} refused, {played} played");
}
