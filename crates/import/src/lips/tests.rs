//! Files of lip sync, and mouths of any lengths on frames.

use proptest::prelude::*;

use super::MouthShape::{self, A, B, C, D, E, F, G, H, X};
use super::{LipFile, LipTrack, MouthCue, read};

fn shapes(track: &LipTrack) -> Vec<(f64, MouthShape)> {
    track.cues.iter().map(|cue| ((cue.start * 1000.0).round() / 1000.0, cue.shape)).collect()
}

fn of(kind: LipFile, text: &str) -> LipTrack {
    read(kind, text.as_bytes(), 24.0).unwrap_or_else(|error| panic!("{error:?}"))
}

const TSV: &str = "0.00\tX\n0.10\tA\n0.18\tD\n0.40\tB\n0.62\tX\n";

#[test]
fn the_three_files_of_rhubarb_say_the_same() {
    let xml = "<?xml version='1.0'?><rhubarbResult><metadata><duration>0.62</duration></metadata><mouthCues>\
        <mouthCue start='0.00' end='0.10'>X</mouthCue><mouthCue start='0.10' end='0.18'>A</mouthCue>\
        <mouthCue start='0.18' end='0.40'>D</mouthCue><mouthCue start='0.40' end='0.62'>B</mouthCue>\
        <mouthCue start='0.62' end='0.62'>X</mouthCue></mouthCues></rhubarbResult>";
    let json = r#"{"metadata": {"duration": 0.62}, "mouthCues": [{"start": 0.0, "end": 0.10, "value": "X"},
        {"start": 0.10, "end": 0.18, "value": "A"}, {"start": 0.18, "end": 0.40, "value": "D"},
        {"start": 0.40, "end": 0.62, "value": "B"}, {"start": 0.62, "end": 0.62, "value": "X"}]}"#;
    let track = of(LipFile::Tsv, TSV);
    assert_eq!(shapes(&track), [(0.0, X), (0.1, A), (0.18, D), (0.4, B), (0.62, X)]);
    assert_eq!(track, of(LipFile::Xml, xml));
    assert_eq!(track, of(LipFile::Json, json));
}

#[test]
fn switches_of_moho_count_frames_from_one() {
    let track = of(LipFile::Moho, "MohoSwitch1\n1 rest\n13 MBP\n25 AI\r\n37 WQ\n49 rest\n");
    assert_eq!(shapes(&track), [(0.0, X), (0.5, A), (1.0, D), (1.5, F), (2.0, X)]);
    assert_eq!(shapes(&of(LipFile::Moho, "MohoSwitch1\n1 X\n13 G\n25 H\n")), [(0.0, X), (0.5, G), (1.0, H)]);
}

const GRID: &str = "File type = \"ooTextFile\"\nObject class = \"TextGrid\"\n\nxmin = 0 \nxmax = 1 \ntiers? <exists> \n\
    size = 2 \nitem []: \n    item [1]:\n        class = \"IntervalTier\" \n        name = \"words\" \n        xmin = 0 \n\
        xmax = 1 \n        intervals: size = 1 \n        intervals [1]:\n            xmin = 0 \n            xmax = 1 \n\
            text = \"a \"\"my\"\"\" \n    item [2]:\n        class = \"IntervalTier\" \n        name = \"phones\" \n\
        xmin = 0 \n        xmax = 1 \n        intervals: size = 4 \n        intervals [1]:\n            xmin = 0 \n\
            xmax = 0.2 \n            text = \"\" \n        intervals [2]:\n            xmin = 0.2 \n            xmax = 0.4 \n\
            text = \"M\" \n        intervals [3]:\n            xmin = 0.4 \n            xmax = 0.8 \n            text = \"AY1\" \n\
        intervals [4]:\n            xmin = 0.8 \n            xmax = 1 \n            text = \"sil\" \n";

#[test]
fn text_grids_long_and_short_in_both_encodings() {
    let want = [(0.0, X), (0.2, A), (0.4, D), (0.6, B), (0.8, X)];
    let long = of(LipFile::TextGrid, GRID);
    assert_eq!(shapes(&long), want);
    assert!(long.notes[0].contains("phones"), "{:?}", long.notes);
    let short = "\"ooTextFile\"\n\"TextGrid\"\n0\n1\n<exists>\n2\n\"IntervalTier\"\n\"words\"\n0\n1\n1\n0\n1\n\"my\"\n\
        \"IntervalTier\"\n\"phones\"\n0\n1\n4\n0\n0.2\n\"\"\n0.2\n0.4\n\"m\"\n0.4\n0.8\n\"aɪ\"\n0.8\n1\n\"\"\n";
    assert_eq!(shapes(&of(LipFile::TextGrid, short)), want);
    for [first, second] in [[0xFF_u8, 0xFE], [0xFE, 0xFF]] {
        let wide = GRID
            .encode_utf16()
            .flat_map(|unit| if first == 0xFF { unit.to_le_bytes() } else { unit.to_be_bytes() });
        let bytes: Vec<u8> = [first, second].into_iter().chain(wide).collect();
        assert_eq!(read(LipFile::TextGrid, &bytes, 24.0), Ok(long.clone()));
    }
    // Words alone are spelled.
    let words = "\"ooTextFile\" \"TextGrid\" 0 1 <exists> 1 \"IntervalTier\" \"words\" 0 1 1 0.2 1 \"bow\"";
    assert_eq!(shapes(&of(LipFile::TextGrid, words)), [(0.2, A), (0.4, E), (0.8, F)]);
}

#[test]
fn subtitles_are_spelled() {
    let srt = "1\n00:00:01,000 --> 00:00:02,200\n<i>Mama</i>\n\n2\n00:00:03,000 --> 00:00:03,400\nVa\n";
    let want = [(1.0, A), (1.2, D), (1.6, A), (1.8, D), (2.2, X), (3.0, G), (3.133, D)];
    assert_eq!(shapes(&of(LipFile::Subtitles, srt)), want);
    let vtt = "WEBVTT\n\nNOTE nothing\n\n00:01.000 --> 00:02.200 align:start\nMama\n\n00:03.000 --> 00:03.400\nVa\n";
    assert_eq!(shapes(&of(LipFile::Subtitles, vtt)), want);
}

#[test]
fn every_phone_of_arpabet_has_a_mouth() {
    let arpabet = "AA AE AH AO AW AY B CH D DH EH ER EY F G HH IH IY JH K L M N NG OW OY P R S SH T TH UH UW V W Y Z ZH";
    for phone in arpabet.split(' ') {
        let upper = super::phones::of_phone(phone);
        assert!(upper.is_some(), "{phone}");
        assert_eq!(upper, super::phones::of_phone(&format!("{}1", phone.to_lowercase())), "{phone}");
    }
    assert_eq!(super::phones::of_phone("oʊ"), Some(vec![E, F]));
    assert_eq!(super::phones::of_phone("ɛː"), Some(vec![C]));
    assert_eq!(super::phones::of_phone("!?"), None);
    assert_eq!(super::phones::of_phone("L"), Some(vec![H]));
}

#[test]
fn other_files_have_messages() {
    let message = |kind, text: &str| read(kind, text.as_bytes(), 24.0).unwrap_err().message;
    let cases = [
        (LipFile::Tsv, "", "no mouths"),
        (LipFile::Tsv, "0.1\n", "a time and a mouth"),
        (LipFile::Tsv, "a\tA\n", "time"),
        (LipFile::Tsv, "NaN\tA\n", "time"),
        (LipFile::Tsv, "-1\tA\n", "before 0"),
        (LipFile::Tsv, "0\tQ\n", "is no mouth"),
        (LipFile::Tsv, "1\tA\n0.5\tB\n", "in order"),
        (LipFile::Xml, "<a", "no XML"),
        (LipFile::Xml, "<a/>", "no mouths"),
        (LipFile::Xml, "<a><mouthCue start='0'>A</mouthCue></a>", "has a end"),
        (LipFile::Json, "{}", "mouthCues"),
        (LipFile::Json, "{\"mouthCues\": [{}]}", "start"),
        (
            LipFile::Json,
            "{\"mouthCues\": [{\"start\": 2, \"end\": 1, \"value\": \"A\"}]}",
            "before it begins",
        ),
        (LipFile::Moho, "1 rest\n", "MohoSwitch1"),
        (LipFile::Moho, "MohoSwitch1\n0 rest\n", "from 1 on"),
        (LipFile::TextGrid, "hello", "begins with"),
        (LipFile::TextGrid, "\"ooTextFile\" \"TextGrid\" 0 1 <exists> 9", "kind of a tier"),
        (LipFile::TextGrid, "\"ooTextFile\" \"TextGrid\" 0 1 <absent>", "no tiers"),
        (LipFile::TextGrid, "\"ooText", "no end"),
        (LipFile::Subtitles, "1\nx --> y\nhi\n", "no time like"),
    ];
    for (kind, text, part) in cases {
        let found = message(kind, text);
        assert!(found.contains(part), "{kind:?} {text:?}: {found}");
    }
    assert!(read(LipFile::Tsv, &[0xFF, 0x00, 0x41], 24.0).is_err());
    assert!(read(LipFile::Tsv, &[0x80, 0x41], 24.0).unwrap_err().message.contains("no text"));
    // Numbers of entries that are not there cost nothing.
    let many = "\"ooTextFile\" \"TextGrid\" 0 1 <exists> 86000 \"IntervalTier\" \"a\" 0 1 86000";
    assert!(message(LipFile::TextGrid, many).contains("ends where"));
}

/// Mouths of any lengths.
fn track() -> impl Strategy<Value = LipTrack> {
    prop::collection::vec((1_u32..400, 0_usize..9), 1..60).prop_map(|all| {
        let (mut start, mut cues) = (0.0, Vec::new());
        for (milliseconds, shape) in all {
            cues.push(MouthCue { start, shape: MouthShape::all()[shape] });
            start += f64::from(milliseconds) / 1000.0;
        }
        LipTrack { cues, end: start, notes: Vec::new() }
    })
}

proptest! {
    #[test]
    fn closings_are_seen_and_nothing_flickers(track in track(), fps in prop::sample::select(vec![12.0, 24.0, 25.0, 30.0, 60.0])) {
        let keys = track.on_frames(fps);
        let frames = (track.end * fps).round().max(1.0) as u64;
        let shape_at = |frame: u64| keys.iter().rev().find(|(from, _)| *from <= frame).unwrap().1;
        prop_assert!(keys[0].0 == 0 && keys.is_sorted_by(|a, b| a.0 < b.0 && a.1 != b.1));
        prop_assert!(keys.last().unwrap().0 < frames);
        let ends = track.cues.iter().skip(1).map(|cue| cue.start).chain([track.end]);
        for (cue, end) in track.cues.iter().zip(ends).filter(|(cue, _)| cue.shape == A) {
            let middle = (cue.start + end) / 2.0 * fps;
            // Within a frame and a half of the middle of the sound.
            let near = (0..frames).filter(|frame| (*frame as f64 + 0.5 - middle).abs() <= 1.5 || frames < 4);
            prop_assert!(near.into_iter().any(|frame| shape_at(frame) == A), "{cue:?} {keys:?}");
        }
        for (at, (from, shape)) in keys.iter().enumerate() {
            let next = keys.get(at + 1).map_or(frames, |(next, _)| *next);
            let between = |at: Option<usize>| at.and_then(|at| keys.get(at)).is_none_or(|(_, other)| *other == A);
            prop_assert!(
                next - from >= 2 || frames < 4 || between(at.checked_sub(1)) && between(Some(at + 1)),
                "{shape:?} at {from} for {} of {frames}: {keys:?}", next - from
            );
        }
    }

    #[test]
    fn any_bytes_give_a_track_or_a_message(bytes in prop::collection::vec(any::<u8>(), 0..300), kind in 0_usize..6) {
        let kinds = [LipFile::Tsv, LipFile::Xml, LipFile::Json, LipFile::Moho, LipFile::TextGrid, LipFile::Subtitles];
        let _ = read(kinds[kind], &bytes, 24.0).map(|track| track.on_frames(24.0));
    }

    #[test]
    fn cut_and_changed_grids_give_a_track_or_a_message(cut in 0..GRID.len(), at in 0..GRID.len(), by in any::<u8>()) {
        let mut bytes = GRID.as_bytes()[..cut.max(1)].to_vec();
        let at = at % bytes.len();
        bytes[at] = by;
        let _ = read(LipFile::TextGrid, &bytes, 24.0).map(|track| track.on_frames(24.0));
    }
}
