//! What is drawn on the frame itself, in order, and pictures of how it begins: what did not change since the last frame is
//! copied, not drawn.
//! Refuses pictures of anything but a beginning: only there the pixels are the same to the bit.

use tiny_skia::{Color, Pixmap, Transform};

use super::memory::place_changed;
use super::painter::{Behind, Painter};
use super::pen::{Context, Pen};
use super::plan::{Kind, Place, Plan};
use super::values::{Values, Whole};

/// Larger frames are not kept: each picture takes as much memory as the frame.
const MAX_KEPT_PIXELS: usize = 16 << 20;

#[derive(Debug, Default)]
pub(crate) struct Ground {
    /// What the pictures were made for.
    made_for: Option<(u32, u32, [u8; 4])>,
    /// Everything before the first thing that can move.
    still: Option<Snapshot>,
    /// Everything before the first thing that moved lately.
    calm: Option<Snapshot>,
    /// How many did not change from the frame before the last to the last.
    calm_before: usize,
    items: Vec<(usize, Transform)>,
    /// How many of them come before anything that changed, and before anything that can.
    unchanged: usize,
    fixed: usize,
}

/// How a frame begins.
#[derive(Debug)]
struct Snapshot {
    /// How many of the items are in it.
    items: usize,
    pixels: Vec<u8>,
}

impl Ground {
    /// Forgets the pictures.
    pub(crate) fn clear(&mut self) {
        *self = Self { items: std::mem::take(&mut self.items), ..Self::default() };
    }

    pub(crate) fn draw(
        &mut self,
        pen: &mut Pen<'_>,
        context: Context,
        ts: Transform,
        behind: [u8; 4],
        pixmap: &mut Pixmap,
    ) -> Result<(), Whole> {
        let made_for = Some((pixmap.width(), pixmap.height(), behind));
        if self.made_for != made_for {
            self.clear();
            self.made_for = made_for;
        }
        self.items.clear();
        (self.unchanged, self.fixed) = (usize::MAX, usize::MAX);
        self.flatten(pen.plan, pen.values, &pen.memory.dirty, &pen.plan.roots, ts, false, false);
        let all = self.items.len();
        let (unchanged, fixed) = (self.unchanged.min(all), self.fixed.min(all));
        let calm = unchanged.min(self.calm_before);
        self.calm_before = unchanged;
        if self.calm.as_ref().is_some_and(|snapshot| snapshot.items > unchanged) {
            self.calm = None;
        }
        let (begin, behind) = match self.calm.as_ref().or(self.still.as_ref()) {
            Some(snapshot) => {
                pixmap.data_mut().copy_from_slice(&snapshot.pixels);
                (snapshot.items, Behind::Pixels)
            }
            None => {
                let [red, green, blue, alpha] = behind;
                (0, Behind::Color(Color::from_rgba8(red, green, blue, alpha)))
            }
        };
        let keeps = pixmap.pixels().len() <= MAX_KEPT_PIXELS;
        pen.over(pixmap, behind, |pen, painter| {
            for at in begin..=all {
                let snapshot = |painter: &mut dyn Painter| {
                    Some(Snapshot { items: at, pixels: painter.pixels().data().to_vec() })
                };
                if keeps && at == fixed && at > 0 && self.still.is_none() {
                    self.still = snapshot(painter);
                } else if keeps && at == calm && at > begin {
                    self.calm = snapshot(painter);
                }
                if let Some((node, ts)) = self.items.get(at).copied() {
                    pen.node(node, context, ts, painter)?;
                }
            }
            Ok(())
        })
    }

    /// Lists what is drawn on the frame itself. `changed` and `moves` say whether anything around it did or can.
    #[allow(clippy::too_many_arguments, reason = "a walk carries all of this")]
    fn flatten(
        &mut self,
        plan: &Plan,
        values: &Values,
        dirty: &[bool],
        children: &[usize],
        ts: Transform,
        changed: bool,
        moves: bool,
    ) {
        for &at in children {
            match &plan.nodes[at].kind {
                Kind::Group(group) if group.layer.is_none() => {
                    let changed = changed || place_changed(values, group.place);
                    let moves = moves || matches!(group.place, Place::Rigid(_));
                    match values.place(group.place) {
                        Some(own) => {
                            let ts = ts.pre_concat(own);
                            self.flatten(plan, values, dirty, &group.children, ts, changed, moves);
                        }
                        None => self.note(changed, moves),
                    }
                }
                Kind::Actor { actor, children } => {
                    let changed = changed || values.actors.changed[*actor];
                    self.note(changed, true);
                    match values.actors.now[*actor] {
                        None => {}
                        Some(None) => self.flatten(plan, values, dirty, children, ts, changed, true),
                        Some(Some(_)) => self.push(at, ts, changed || dirty[at], true),
                    }
                }
                Kind::Siblings { group, items } => {
                    let changed = changed || values.orders.changed[*group];
                    self.note(changed, true);
                    for item in &values.orders.now[*group] {
                        self.flatten(plan, values, dirty, &items[*item], ts, changed, true);
                    }
                }
                _ => self.push(at, ts, changed || dirty[at], moves || plan.nodes[at].moves),
            }
        }
    }

    fn push(&mut self, at: usize, ts: Transform, changed: bool, moves: bool) {
        self.note(changed, moves);
        self.items.push((at, ts));
    }

    /// Notes where the first thing stands that changed, and the first that can.
    fn note(&mut self, changed: bool, moves: bool) {
        let here = self.items.len();
        if changed {
            self.unchanged = self.unchanged.min(here);
        }
        if moves {
            self.fixed = self.fixed.min(here);
        }
    }
}
