//! Art that comes and goes: what clips and drivers say about it over time, and what that makes of each element in a frame.
//! Nothing is drawn here: a frame gets one [`Visibility`] for each element.

use bone_core::clip::Curve;
use drawing::{ElementId, Visibility};

/// Which child of a group is drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Choice {
    /// Those that the drawing shows.
    #[default]
    AsDrawn,
    /// None.
    Nothing,
    /// This one alone, by its place in [`Switch::children`].
    Child(usize),
}

/// A group of which one child is drawn at a time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Switch {
    /// The group.
    pub group: ElementId,
    /// Its children in document order, each by its place in [`DrawOrder::elements`].
    pub children: Vec<usize>,
}

/// The art of a scene that can be hidden, fade and change places.
#[derive(Clone, Debug, Default)]
pub struct DrawOrder {
    /// The elements, in the order of the columns of an [`ArtPose`].
    pub elements: Vec<ElementId>,
    /// Whether the drawing shows each of them.
    pub drawn: Vec<bool>,
    /// The groups that show one child at a time.
    pub switches: Vec<Switch>,
    /// The switch that each of them is a child of, and which child.
    pub member: Vec<Option<(usize, usize)>>,
}

impl DrawOrder {
    /// Whether an element is drawn in a pose.
    fn is_visible(&self, k: usize, pose: &ArtPose) -> bool {
        let chosen = self.member[k].and_then(|(switch, child)| match pose.choices[switch] {
            Choice::AsDrawn => None,
            Choice::Nothing => Some(false),
            Choice::Child(chosen) => Some(chosen == child),
        });
        chosen != Some(false) && pose.visible[k].unwrap_or(chosen.is_some() || self.drawn[k])
    }

    /// Whether a choice shows the children that the drawing shows.
    pub fn is_as_drawn(&self, switch: usize, choice: Choice) -> bool {
        let mut children = self.switches[switch].children.iter().enumerate();
        choice == Choice::AsDrawn
            || children.all(|(child, k)| self.drawn[*k] == (choice == Choice::Child(child)))
    }

    /// What a pose makes of each element. Allocates nothing once `out` has been here.
    pub(crate) fn visibilities(&self, pose: &ArtPose, out: &mut Vec<Visibility>) {
        out.clear();
        out.extend((0..self.elements.len()).map(|k| Visibility {
            visible: self.is_visible(k, pose),
            opacity: pose.opacity[k].clamp(0.0, 1.0),
            order: pose.order[k],
        }));
    }
}

/// What is said about the art of a [`DrawOrder`] at a moment: one entry an element, and one a switch.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ArtPose {
    /// Whether an element is drawn; none leaves that to its switch and the drawing.
    pub visible: Vec<Option<bool>>,
    /// What multiplies its opacity.
    pub opacity: Vec<f64>,
    /// Its place in the paint order.
    pub order: Vec<f64>,
    /// Which child a group shows.
    pub choices: Vec<Choice>,
}

impl ArtPose {
    /// Everything as it is drawn.
    pub fn new(stage: &DrawOrder) -> Self {
        let mut pose = Self::default();
        pose.reset(stage);
        pose
    }

    /// Everything as it is drawn.
    pub fn reset(&mut self, stage: &DrawOrder) {
        fn fill<T: Copy>(list: &mut Vec<T>, count: usize, value: T) {
            list.clear();
            list.resize(count, value);
        }
        let count = stage.elements.len();
        fill(&mut self.visible, count, None);
        fill(&mut self.opacity, count, 1.0);
        fill(&mut self.order, count, 0.0);
        fill(&mut self.choices, stage.switches.len(), Choice::AsDrawn);
    }

    /// Takes over another pose of the same stage. Allocates nothing.
    pub(crate) fn copy_from(&mut self, other: &Self) {
        self.visible.clone_from(&other.visible);
        self.opacity.clone_from(&other.opacity);
        self.order.clone_from(&other.order);
        self.choices.clone_from(&other.choices);
    }
}

/// What a clip says about art over time, or a driver over its value. Whatever only steps is a curve of held keys.
#[derive(Clone, Debug, Default)]
pub struct ArtTracks {
    /// 1 where it is drawn.
    pub visible: Vec<(usize, Curve<f64>)>,
    /// What multiplies its opacity.
    pub opacity: Vec<(usize, Curve<f64>)>,
    /// Its place in the paint order.
    pub order: Vec<(usize, Curve<f64>)>,
    /// The place of the child, or [`NOTHING`].
    pub switch: Vec<(usize, Curve<f64>)>,
}

/// The value of a switch that shows no child.
pub const NOTHING: f64 = -1.0;

fn choice(value: f64) -> Choice {
    // The conversion saturates, and takes NaN for 0.
    if value < 0.0 { Choice::Nothing } else { Choice::Child(value as usize) }
}

impl ArtTracks {
    /// Brings the moment of a clip into a pose, by its share: what holds is taken over from half of it on, changes of
    /// opacity add.
    pub(crate) fn mix_in(&self, time: f64, weight: f64, pose: &mut ArtPose) {
        for (k, curve) in &self.opacity {
            let opacity = &mut pose.opacity[*k];
            // Alone, it is the value itself to the bit.
            let alone = weight == 1.0 && *opacity == 1.0;
            *opacity = if alone { curve.at(time) } else { *opacity + weight * (curve.at(time) - 1.0) };
        }
        if weight < 0.5 {
            return;
        }
        for (k, curve) in &self.visible {
            pose.visible[*k] = Some(curve.at(time) > 0.5);
        }
        for (k, curve) in &self.order {
            pose.order[*k] = curve.at(time);
        }
        for (k, curve) in &self.switch {
            pose.choices[*k] = choice(curve.at(time));
        }
    }

    /// What a driver does to a pose: all that speak of `visible` must agree, opacities multiply, orders add, and the
    /// last word on a switch counts.
    pub fn drive(&self, value: f64, pose: &mut ArtPose) {
        for (k, curve) in &self.visible {
            pose.visible[*k] = Some(pose.visible[*k].unwrap_or(true) && curve.at(value) > 0.5);
        }
        for (k, curve) in &self.opacity {
            pose.opacity[*k] *= curve.at(value).clamp(0.0, 1.0);
        }
        for (k, curve) in &self.order {
            pose.order[*k] += curve.at(value);
        }
        for (k, curve) in &self.switch {
            pose.choices[*k] = choice(curve.at(value));
        }
    }
}
