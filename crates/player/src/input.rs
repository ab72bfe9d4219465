//! Inputs: what a rig has already that a program can turn. The groups that show one child at a time, the strengths,
//! amounts and targets of constraints, and the sliders.

use bone_core::constraint::ConstraintRule;
use bone_drawing::ArtProperty;
use bone_rig::{Choice, ConstraintOverride, MachineInputKind, Overrides, Rig};
use kurbo::Point;

use crate::error::PlayerError;

/// An input of a character.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct InputId(pub(crate) u32);

impl InputId {
    /// The input at a place of [`Character::inputs`](crate::Character::inputs).
    pub fn from_index(index: usize) -> Self {
        Self(u32::try_from(index).unwrap_or(u32::MAX))
    }

    /// Its place.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// What an input turns.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum InputKind {
    /// Which child a group shows: a number from 0 to one less than this, or -1 for none.
    Switch {
        /// How many children it has.
        children: usize,
    },
    /// How strong a constraint is, from 0 to 1.
    Mix,
    /// The position of a constraint on its path, or the distance that it keeps.
    Amount,
    /// The place that replaces the target of a constraint, on the canvas.
    Target,
    /// A number that drivers read.
    Slider {
        /// The least and the greatest value.
        range: (f64, f64),
    },
    /// A number that the blends and transitions of a state machine read.
    Number {
        /// Its value before it is set.
        rest: f64,
    },
    /// True or false for the transitions of a state machine: any number but 0, or 0.
    Flag {
        /// Its value before it is set.
        rest: bool,
    },
    /// Counts for the transitions of a state machine at the moment at which it is set to any number but 0, the beginning
    /// of the next step.
    Trigger,
}

impl InputKind {
    /// Whether it is an input of a state machine.
    fn is_of_machine(self) -> bool {
        matches!(self, Self::Number { .. } | Self::Flag { .. } | Self::Trigger)
    }
}

/// An input and its name.
#[derive(Clone, Debug, PartialEq)]
pub struct InputInfo {
    /// `switch:mouth`, `mix:look`, `amount:track`, `target:hand`, `slider:age`, or `machine:hero/speed`.
    pub name: String,
    /// What it turns.
    pub kind: InputKind,
    /// The switch, the constraint, the slider or the machine, by its place in the rig.
    pub(crate) place: usize,
    /// The input of the machine, by its place in it.
    part: usize,
}

/// A value of an input.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum InputValue {
    /// A number, or the number of a child.
    Number(f64),
    /// A place on the canvas.
    Point(Point),
    /// As the clips have it.
    Rest,
}

impl InputInfo {
    /// All inputs of a rig.
    pub(crate) fn all(rig: &Rig) -> Vec<Self> {
        let mut all = Vec::new();
        let drawing = rig.art();
        for (place, switch) in rig.draw_order().switches.iter().enumerate() {
            let name = format!("switch:{}", drawing.address(switch.group));
            all.push(Self {
                name,
                kind: InputKind::Switch { children: switch.children.len() },
                place,
                part: 0,
            });
        }
        for (place, (named, constraint)) in rig.constraints().enumerate() {
            let Some(name) = &named.name else { continue };
            let mut add =
                |kind, what: &str| all.push(Self { name: format!("{what}:{name}"), kind, place, part: 0 });
            add(InputKind::Mix, "mix");
            if matches!(constraint.rule, ConstraintRule::Path(_) | ConstraintRule::Distance(_)) {
                add(InputKind::Amount, "amount");
            }
            let has_target = matches!(
                constraint.rule,
                ConstraintRule::Ik(_) | ConstraintRule::Aim(_) | ConstraintRule::Distance(_)
            );
            if has_target {
                add(InputKind::Target, "target");
            }
        }
        for (place, slider) in rig.sliders().iter().enumerate() {
            let kind = InputKind::Slider { range: slider.range };
            all.push(Self { name: format!("slider:{}", slider.name), kind, place, part: 0 });
        }
        for (place, machine) in rig.machines().iter().enumerate() {
            for (part, input) in machine.inputs.iter().enumerate() {
                let kind = match input.kind {
                    MachineInputKind::Number(rest) => InputKind::Number { rest },
                    MachineInputKind::Flag(rest) => InputKind::Flag { rest },
                    MachineInputKind::Trigger => InputKind::Trigger,
                };
                all.push(Self {
                    name: format!("machine:{}/{}", machine.name, input.name),
                    kind,
                    place,
                    part,
                });
            }
        }
        all
    }

    /// The machine and the input of it that this is, and the number for a value; none for what is no input of a machine.
    ///
    /// # Errors
    /// If the value is no number.
    pub(crate) fn of_machine(&self, value: InputValue) -> Result<Option<(usize, usize, f64)>, PlayerError> {
        if !self.kind.is_of_machine() {
            return Ok(None);
        }
        let number = match (value, self.kind) {
            (InputValue::Number(number), _) if number.is_finite() => number,
            (InputValue::Number(_), _) => return Err(PlayerError::Number { what: "input" }),
            (InputValue::Point(_), _) => {
                return Err(PlayerError::Input { name: self.name.clone(), wanted: "a number" });
            }
            (InputValue::Rest, InputKind::Number { rest }) => rest,
            (InputValue::Rest, InputKind::Flag { rest }) => f64::from(u8::from(rest)),
            (InputValue::Rest, _) => 0.0,
        };
        Ok(Some((self.place, self.part, number)))
    }

    /// Sets the input in overrides. True if that changed them.
    pub(crate) fn set(
        &self,
        rig: &Rig,
        value: InputValue,
        overrides: &mut Overrides,
    ) -> Result<bool, PlayerError> {
        let input = |wanted| PlayerError::Input { name: self.name.clone(), wanted };
        let finite = match value {
            InputValue::Number(number) => number.is_finite(),
            InputValue::Point(point) => point.is_finite(),
            InputValue::Rest => true,
        };
        if !finite {
            return Err(PlayerError::Number { what: "input" });
        }
        match self.kind {
            InputKind::Switch { children } => {
                let Some(switch) = rig.draw_order().switches.get(self.place) else { return Ok(false) };
                let chosen = match value {
                    InputValue::Rest => None,
                    InputValue::Number(-1.0) => Some(Choice::Nothing),
                    InputValue::Number(number)
                        if number >= 0.0 && number < children as f64 && number.fract() == 0.0 =>
                    {
                        // In range.
                        Some(Choice::Child(number as usize))
                    }
                    _ => return Err(input("the number of a child, or -1 for none")),
                };
                let drawing = rig.art();
                let is_text = drawing.element(switch.group).is_some_and(|it| it.words.is_some());
                let property = if is_text { ArtProperty::Text } else { ArtProperty::Switch };
                let key = (switch.group, property);
                Ok(replace(&mut overrides.art, key, chosen.map(|choice| choice.value().into())))
            }
            InputKind::Slider { range: (least, greatest) } => {
                let number = match value {
                    InputValue::Rest => None,
                    InputValue::Number(number) => Some(number.clamp(least, greatest)),
                    InputValue::Point(_) => return Err(input("a number")),
                };
                Ok(replace(&mut overrides.sliders, self.place, number))
            }
            InputKind::Number { .. } | InputKind::Flag { .. } | InputKind::Trigger => Ok(false),
            InputKind::Mix | InputKind::Amount | InputKind::Target => {
                let before = overrides.constraints.get(self.place);
                let mut set = before.unwrap_or_default();
                match (self.kind, value) {
                    (InputKind::Mix, InputValue::Number(mix)) => set.mix = Some(mix.clamp(0.0, 1.0)),
                    (InputKind::Mix, InputValue::Rest) => set.mix = None,
                    (InputKind::Amount, InputValue::Number(amount)) => set.amount = Some(amount),
                    (InputKind::Amount, InputValue::Rest) => set.amount = None,
                    (InputKind::Target, InputValue::Point(place)) => set.place = Some(place),
                    (InputKind::Target, InputValue::Rest) => set.place = None,
                    (InputKind::Target, _) => return Err(input("a place on the canvas")),
                    _ => return Err(input("a number")),
                }
                let set = (set != ConstraintOverride::default()).then_some(set);
                Ok(replace(&mut overrides.constraints, self.place, set))
            }
        }
    }
}

/// Sets or removes an entry. True if that changed it.
pub(crate) fn replace<K: Copy + Ord, V: Copy + PartialEq>(
    list: &mut bone_rig::OverrideList<K, V>,
    key: K,
    value: Option<V>,
) -> bool {
    let before = list.get(key);
    match value {
        Some(value) => list.set(key, value),
        None => drop(list.remove(key)),
    }
    before != value
}
