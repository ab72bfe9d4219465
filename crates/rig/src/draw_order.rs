//! Visibility, opacity and draw order of art: the tracks of clips and drivers, and one [`Visibility`] for
//! each element in a frame.

use bone_core::clip::Curve;
use bone_drawing::{ElementId, Visibility};

/// Which child of a group is drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Choice {
    /// Those that are visible in the drawing.
    #[default]
    AsDrawn,
    /// None.
    Nothing,
    /// This one alone, by its index in [`Switch::children`].
    Child(usize),
}

/// A group of which one child is visible at a time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Switch {
    /// The group.
    pub group: ElementId,
    /// Its children in document order, each by its index in [`DrawOrder::elements`].
    pub children: Vec<usize>,
}

/// The art of a rig whose visibility, opacity and draw order can change.
#[derive(Clone, Debug, Default)]
pub struct DrawOrder {
    /// The elements, in the order of the columns of an [`ArtPose`].
    pub elements: Vec<ElementId>,
    /// Whether each of them is visible in the drawing.
    pub drawn: Vec<bool>,
    /// The groups of which one child is visible at a time.
    pub switches: Vec<Switch>,
    /// The switch that each element is a child of, and the index of the child.
    pub member: Vec<Option<(usize, usize)>>,
}

impl DrawOrder {
    /// Whether all indices are in range and all columns have one entry for each element.
    pub(crate) fn fits(&self) -> bool {
        let count = self.elements.len();
        let member_fits =
            |member: &Option<(usize, usize)>| member.is_none_or(|(switch, _)| switch < self.switches.len());
        (self.drawn.len(), self.member.len()) == (count, count)
            && self.member.iter().all(member_fits)
            && self.switches.iter().flat_map(|switch| &switch.children).all(|k| *k < count)
    }

    /// The index of an element in the columns.
    pub fn index(&self, element: ElementId) -> Option<usize> {
        self.elements.iter().position(|own| *own == element)
    }

    /// The index of the switch with this group.
    pub fn switch(&self, group: ElementId) -> Option<usize> {
        self.switches.iter().position(|switch| switch.group == group)
    }

    /// Whether an element is visible in a pose.
    fn is_visible(&self, k: usize, pose: &ArtPose) -> bool {
        let chosen = self.member[k].and_then(|(switch, child)| match pose.choices[switch] {
            Choice::AsDrawn => None,
            Choice::Nothing => Some(false),
            Choice::Child(chosen) => Some(chosen == child),
        });
        chosen != Some(false) && pose.visible[k].unwrap_or(chosen.is_some() || self.drawn[k])
    }

    /// Whether a choice shows the same children of a switch as the drawing. False for a switch that does not
    /// exist.
    pub fn is_as_drawn(&self, switch: usize, choice: Choice) -> bool {
        let Some(switch) = self.switches.get(switch) else { return false };
        let mut children = switch.children.iter().enumerate();
        choice == Choice::AsDrawn
            || children.all(|(child, k)| self.drawn.get(*k).copied() == Some(choice == Choice::Child(child)))
    }

    /// The visibility of each element in a pose. Allocates nothing once `out` was used before.
    pub(crate) fn visibilities(&self, pose: &ArtPose, out: &mut Vec<Visibility>) {
        out.clear();
        out.extend((0..self.elements.len()).map(|k| Visibility {
            visible: self.is_visible(k, pose),
            opacity: pose.opacity[k].clamp(0.0, 1.0),
            order: pose.order[k],
        }));
    }
}

/// The state of the art of a [`DrawOrder`] at a time: one entry for each element, and one for each switch.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ArtPose {
    /// Whether an element is visible; none if its switch and the drawing decide.
    pub visible: Vec<Option<bool>>,
    /// The factor of its opacity.
    pub opacity: Vec<f64>,
    /// Its draw order: a higher one is drawn later, in front.
    pub order: Vec<f64>,
    /// Which child of a switch is visible.
    pub choices: Vec<Choice>,
}

impl ArtPose {
    /// Everything as in the drawing.
    pub fn new(draw_order: &DrawOrder) -> Self {
        let mut pose = Self::default();
        pose.reset(draw_order);
        pose
    }

    /// Resets everything to the drawing.
    pub fn reset(&mut self, draw_order: &DrawOrder) {
        fn fill<T: Copy>(list: &mut Vec<T>, count: usize, value: T) {
            list.clear();
            list.resize(count, value);
        }
        let count = draw_order.elements.len();
        fill(&mut self.visible, count, None);
        fill(&mut self.opacity, count, 1.0);
        fill(&mut self.order, count, 0.0);
        fill(&mut self.choices, draw_order.switches.len(), Choice::AsDrawn);
    }

    /// Becomes equal to another pose of the same draw order. Allocates nothing.
    pub(crate) fn copy_from(&mut self, other: &Self) {
        self.visible.clone_from(&other.visible);
        self.opacity.clone_from(&other.opacity);
        self.order.clone_from(&other.order);
        self.choices.clone_from(&other.choices);
    }
}

/// The tracks of art: over time in a clip, over the driving value in a driver. What only steps is a curve of
/// held keys. An index that a pose does not have is ignored.
#[derive(Clone, Debug, Default)]
pub struct ArtTracks {
    /// 1 where it is visible.
    pub visible: Vec<(usize, Curve<f64>)>,
    /// The factor of its opacity.
    pub opacity: Vec<(usize, Curve<f64>)>,
    /// Its draw order.
    pub order: Vec<(usize, Curve<f64>)>,
    /// The index of the visible child, or [`NOTHING`].
    pub switch: Vec<(usize, Curve<f64>)>,
}

/// The value of a switch without a visible child.
pub const NOTHING: f64 = -1.0;

fn choice(value: f64) -> Choice {
    // The conversion saturates, and takes NaN for 0.
    if value < 0.0 { Choice::Nothing } else { Choice::Child(value as usize) }
}

impl ArtTracks {
    /// Mixes a time of a clip into a pose, by its weight: changes of opacity add; what only steps is taken
    /// over if the weight is at least a half.
    pub(crate) fn mix_in(&self, time: f64, weight: f64, pose: &mut ArtPose) {
        for (k, curve) in &self.opacity {
            let Some(opacity) = pose.opacity.get_mut(*k) else { continue };
            // Alone, it is the value itself to the bit.
            let alone = weight == 1.0 && *opacity == 1.0;
            *opacity = if alone { curve.at(time) } else { *opacity + weight * (curve.at(time) - 1.0) };
        }
        if weight < 0.5 {
            return;
        }
        each(&self.visible, time, &mut pose.visible, |visible, value| *visible = Some(value > 0.5));
        each(&self.order, time, &mut pose.order, |order, value| *order = value);
        each(&self.switch, time, &mut pose.choices, |chosen, value| *chosen = choice(value));
    }

    /// Applies a driver to a pose. An element is visible if all its drivers say so; opacities multiply, draw
    /// orders add, and the last driver of a switch wins.
    pub fn drive(&self, value: f64, pose: &mut ArtPose) {
        each(&self.visible, value, &mut pose.visible, |visible, value| {
            *visible = Some(visible.unwrap_or(true) && value > 0.5);
        });
        each(&self.opacity, value, &mut pose.opacity, |opacity, value| *opacity *= value.clamp(0.0, 1.0));
        each(&self.order, value, &mut pose.order, |order, value| *order += value);
        each(&self.switch, value, &mut pose.choices, |chosen, value| *chosen = choice(value));
    }
}

/// Applies the value of each curve to its entry of a column.
fn each<T>(tracks: &[(usize, Curve<f64>)], at: f64, column: &mut [T], apply: impl Fn(&mut T, f64)) {
    for (k, curve) in tracks {
        if let Some(entry) = column.get_mut(*k) {
            apply(entry, curve.at(at));
        }
    }
}
