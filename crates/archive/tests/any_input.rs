//! Any bytes, counts and kinds: each is read or an error, and none panics or takes more memory than the bytes
//! that are there.

use std::sync::Arc;

use bone_archive::{Archive, ArchiveError, Kind, Reader, Writer, checksum, pack, unpack};
use kurbo::{Affine, BezPath, Point, Rect};
use proptest::prelude::*;

const KINDS: [Kind; 9] = [
    Kind::Bone,
    Kind::Path,
    Kind::Node,
    Kind::Element,
    Kind::Gradient,
    Kind::Pattern,
    Kind::Clip,
    Kind::Mask,
    Kind::Filter,
];

type All = (String, Vec<Vec<f64>>, ((Option<Box<f64>>, Arc<str>), (Arc<[f64]>, BezPath), (Affine, Rect)));

/// Everything that is read of some bytes, one after the other.
fn read(bytes: &[u8], count: usize) -> Result<(), ArchiveError> {
    let from = &mut Reader::new(bytes);
    for kind in KINDS {
        from.set_count(kind, count);
        let index = from.index(kind).map(|index| index as usize);
        assert!(index.is_err() || index.is_ok_and(|index| index < count && count == from.count_of(kind)));
    }
    let _ = (
        from.byte(),
        from.array::<9>(),
        from.bytes(count).map(drop),
        from.number(),
        from.limit(),
        from.count(),
    );
    let _ = (from.list::<String>(), from.list::<Vec<f64>>(), from.list::<Arc<[String]>>());
    let _ = from.shared(|from| String::read(from).map(Arc::new));
    let _ = (from.left(), from.invalid("value"), from.check(false, "value"));
    Archive::read(from).map(|_: All| ())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn readers_of_any_bytes(bytes in prop::collection::vec(any::<u8>(), 0..200), count in any::<usize>(), version in any::<u32>()) {
        for from in 0..bytes.len() {
            let _ = read(&bytes[from..], count);
        }
        let _ = (checksum(&bytes), read(&bytes, 3));
        for bytes in [&bytes[..], &pack(version, &bytes)] {
            let read: Result<All, _> = unpack(version, bytes, Archive::read);
            if let Err(error) = read {
                prop_assert!(!error.to_string().is_empty());
            }
            prop_assert!(unpack(version.wrapping_add(1), bytes, |_| Ok(())).is_err());
        }
    }

    #[test]
    fn writers_of_any_values(number in any::<u64>(), limit in any::<f64>(), n in any::<[f64; 4]>(), text in ".{0,9}") {
        let mut to = Writer::new();
        to.number(number);
        to.limit(limit);
        let shared = Arc::new(text.clone());
        (&shared, &shared).write(&mut to);
        Affine::new([n[0], n[1], n[2], n[3], limit, limit]).write(&mut to);
        Point::new(n[0], n[1]).write(&mut to);
        let bytes = to.finish();
        let mut from = Reader::new(&bytes);
        prop_assert_eq!(from.number(), Ok(number));
        let _ = from.limit();
        let texts: Result<(Arc<String>, Arc<String>), _> = Archive::read(&mut from);
        prop_assert!(texts.is_ok_and(|(first, second)| *first == text && Arc::ptr_eq(&first, &second)));
        let _: (Result<Affine, _>, Result<Point, _>) = (Archive::read(&mut from), Archive::read(&mut from));
    }
}
