//! Ink: places in their order, and keys of widths.

use kurbo::Vec2;

use crate::check::Checker;
use crate::check::clips::Axis;
use crate::diagnostic::Diagnostic;
use crate::doc::InkKeysDoc;
use crate::text::shortened;
use bone_drawing::InkProfile;

impl Checker<'_, '_> {
    pub(super) fn inks(&mut self) {
        for ink in &self.doc.ink {
            let name = shortened(&ink.art.value);
            let mut last: Option<f64> = None;
            for key in &ink.at.keys {
                let at = key.time;
                let before = last.replace(at.value);
                if let Some(ease) = key.ease {
                    let message = format!("a place of the ink of \"{name}\" has a width, and no ease");
                    let help = "widths are smooth between places; keys of a clip have eases";
                    self.error(ease.span, Diagnostic::error("not-possible-here", message).help(help));
                }
                // Asked this way round, "not a number" is wrong too.
                if !(0.0..=1.0).contains(&at.value) {
                    let message = format!("a place of the ink of \"{name}\" must be between 0 and 1");
                    let help = "0 is the start of the path, 1 its end";
                    self.error(at.span, Diagnostic::error("out-of-range", message).help(help));
                } else if before.is_some_and(|before| at.value <= before) {
                    let message = format!("the places of the ink of \"{name}\" do not increase");
                    let help = "write them from the start of the path to its end, each once";
                    self.error(at.span, Diagnostic::error("order", message).help(help));
                }
            }
            let (count, most) = (ink.at.keys.len(), InkProfile::MOST_PLACES);
            if count > most {
                let message = format!("the ink of \"{name}\" has {count} places, and {most} are possible");
                self.error(ink.at.span, Diagnostic::error("too-many", message));
            }
        }
    }

    pub(super) fn ink_keys(&mut self, axis: Axis<'_>, inks: &[InkKeysDoc]) {
        for ink in inks {
            for (place, channel) in &ink.places {
                let what = format!("the width of place {} of \"{}\"", place.value, shortened(&ink.art.value));
                self.shift(axis, &what, &channel.shift, &["delay"]);
                let same = |first: &Vec2, last: &Vec2| first == last;
                self.keys(axis, &what, channel, same);
            }
        }
    }
}
