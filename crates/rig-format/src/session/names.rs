//! Where a rig uses names: of bones, art, constraints, poses, clips and shots. Renaming and deleting go through this
//! list, so a place of the format where a name may stand is known here alone.

use std::sync::Arc;

use super::path::{at, at_mut};
use super::value::DocValue;

/// What has a name that other parts of a rig use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Named {
    /// A bone.
    Bone,
    /// Art of the drawing.
    Art,
    /// A constraint.
    Constraint,
    /// A slider.
    Slider,
    /// A lattice.
    Warp,
    /// A pose.
    Pose,
    /// An outfit.
    Outfit,
    /// A clip.
    Clip,
    /// A shot.
    Shot,
    /// A state machine.
    Machine,
    /// A state of a machine, or of a layer of one: other machines may have others of this name.
    State,
    /// An input of a machine.
    Input,
}

impl Named {
    /// What messages call it.
    pub fn what(self) -> &'static str {
        match self {
            Self::Bone => "bone",
            Self::Art => "art",
            Self::Constraint => "constraint",
            Self::Slider => "slider",
            Self::Warp => "warp",
            Self::Pose => "pose",
            Self::Outfit => "outfit",
            Self::Clip => "clip",
            Self::Shot => "shot",
            Self::Machine => "machine",
            Self::State => "state",
            Self::Input => "input",
        }
    }

    /// The same, several of them.
    pub(super) fn plural(self) -> &'static str {
        match self {
            Self::Bone => "bones",
            Self::Art => "art",
            Self::Constraint => "constraints",
            Self::Slider => "sliders",
            Self::Warp => "warps",
            Self::Pose => "poses",
            Self::Outfit => "outfits",
            Self::Clip => "clips",
            Self::Shot => "shots",
            Self::Machine => "machines",
            Self::State => "states",
            Self::Input => "inputs",
        }
    }

    /// Whether two machines may have one of the same name.
    pub(super) fn has_scope(self) -> bool {
        matches!(self, Self::State | Self::Input)
    }

    /// The map of the rig that has them.
    pub(super) fn section(self) -> Option<&'static str> {
        match self {
            Self::Bone => Some("bones"),
            Self::Slider => Some("sliders"),
            Self::Warp => Some("warps"),
            Self::Pose => Some("poses"),
            Self::Outfit => Some("outfits"),
            Self::Clip => Some("clips"),
            Self::Shot => Some("shots"),
            Self::Machine => Some("machines"),
            Self::Art | Self::Constraint | Self::State | Self::Input => None,
        }
    }
}

/// A place where a name is.
#[derive(Clone, Debug)]
pub(crate) struct NameUse {
    pub(crate) of: Named,
    pub(crate) name: Arc<str>,
    /// The positions of the value, or of the entry whose key it is.
    pub(crate) place: Vec<usize>,
    pub(crate) is_key: bool,
    /// Whether the name is given here, and not used.
    pub(crate) defines: bool,
    /// How many of the positions lead to what goes when the named thing goes.
    pub(crate) unit: usize,
}

impl NameUse {
    /// The place of the machine that the name is in; of a state in a layer that of the layer.
    pub(super) fn scope(&self, root: &DocValue) -> &[usize] {
        let machine = self.place.get(..2).unwrap_or_default();
        let layers = at(root, machine).and_then(|machine| machine.position("layers"));
        let in_layer = self.of == Named::State && layers.is_some() && self.place.get(2).copied() == layers;
        self.place.get(..4).filter(|_| in_layer).unwrap_or(machine)
    }
}

/// All names in a file.
pub(crate) fn uses(root: &DocValue) -> Vec<NameUse> {
    let mut list = Finder { root, uses: Vec::new() };
    list.bones();
    list.skin();
    list.section("drivers", |list, driver| {
        list.value(driver, "bone", Named::Bone, driver.len());
        list.value(driver, "slider", Named::Slider, driver.len());
        list.moved(driver);
    });
    list.section("sliders", |list, slider| list.key(slider, Named::Slider, true));
    list.section("ink", |list, ink| list.key(ink, Named::Art, false));
    list.section("masks", |list, mask| {
        list.art(mask);
        list.value(mask, "by", Named::Art, mask.len());
    });
    list.section("warps", |list, warp| {
        list.key(warp, Named::Warp, true);
        list.art(warp);
        list.value(warp, "inside", Named::Warp, warp.len() + 1);
    });
    list.section("forms", |list, forms| {
        // An axis that goes takes the places of all forms along.
        list.each(forms, "by", |list, slider| list.push(slider, Named::Slider, forms.len()));
        list.each(forms, "at", |list, form| {
            list.keys(form, "warps", Named::Warp);
            list.keys(form, "offsets", Named::Art);
        });
    });
    list.section("constraints", Finder::constraint);
    list.section("springs", |list, spring| {
        list.value(spring, "chain", Named::Bone, spring.len());
        list.items(spring, "bones", Named::Bone);
        if let Some(stop) = at(list.root, spring).and_then(|spring| spring.position("stop")) {
            let stop = [spring, &[stop]].concat();
            list.value(&stop, "bone", Named::Bone, stop.len());
        }
    });
    list.section("poses", |list, pose| {
        list.key(pose, Named::Pose, true);
        list.keys(pose, "bones", Named::Bone);
        list.posed_art(pose);
    });
    list.section("wear", |list, name| list.push(name, Named::Outfit, name.len()));
    list.section("outfits", |list, outfit| {
        list.key(outfit, Named::Outfit, true);
        for field in ["show", "hide"] {
            list.items(outfit, field, Named::Art);
        }
        list.posed_art(outfit);
        list.each(outfit, "swap", |list, swap| {
            list.key(swap, Named::Art, false);
            list.push(swap, Named::Art, swap.len());
        });
        list.items(outfit, "constraints", Named::Constraint);
        list.items(outfit, "springs", Named::Bone);
    });
    list.section("clips", |list, clip| {
        list.key(clip, Named::Clip, true);
        list.keys(clip, "sliders", Named::Slider);
        list.each(clip, "pose", |list, key| list.push(&[key, &[1]].concat(), Named::Pose, key.len()));
        list.keys(clip, "poses", Named::Pose);
        list.moved(clip);
    });
    list.section("machines", |list, machine| {
        list.key(machine, Named::Machine, true);
        list.each(machine, "inputs", |list, input| list.key(input, Named::Input, true));
        list.states(machine);
        list.each(machine, "layers", |list, layer| {
            list.items(layer, "bones", Named::Bone);
            list.states(layer);
        });
    });
    list.section("shots", |list, shot| {
        list.key(shot, Named::Shot, true);
        for part in ["play", "layers"] {
            list.each(shot, part, |list, part| {
                if let Some(DocValue::Text(_)) = at(list.root, part) {
                    list.push(part, Named::Clip, part.len());
                }
                list.value(part, "clip", Named::Clip, part.len());
                list.items(part, "bones", Named::Bone);
            });
        }
    });
    list.uses
}

struct Finder<'r> {
    root: &'r DocValue,
    uses: Vec<NameUse>,
}

impl Finder<'_> {
    /// The clips of the states of a machine, or of a layer of one.
    fn states(&mut self, of: &[usize]) {
        self.each(of, "states", |list, state| {
            list.key(state, Named::State, true);
            list.items(state, "by", Named::Input);
            for of in [Named::Clip, Named::Shot] {
                list.value(state, "clip", of, state.len() + 1);
                list.each(state, "blend", |list, point| list.value(point, "clip", of, point.len()));
            }
        });
        self.transitions(of);
    }

    /// What leads from one state to another.
    fn transitions(&mut self, of: &[usize]) {
        self.value(of, "start", Named::State, of.len() + 1);
        self.each(of, "transitions", |list, transition| {
            for field in ["from", "to"] {
                list.value(transition, field, Named::State, transition.len());
            }
            for field in ["above", "below", "is"] {
                list.keys(transition, field, Named::Input);
            }
            list.items(transition, "fired", Named::Input);
        });
    }

    /// Everything in a field of the rig.
    fn section(&mut self, name: &str, visit: impl Fn(&mut Self, &[usize])) {
        self.each(&[], name, visit);
    }

    /// Everything in a field of what is at a place.
    fn each(&mut self, place: &[usize], field: &str, visit: impl Fn(&mut Self, &[usize])) {
        let Some(position) = at(self.root, place).and_then(|value| value.position(field)) else { return };
        self.within(&[place, &[position]].concat(), visit);
    }

    /// Everything in a container.
    fn within(&mut self, place: &[usize], visit: impl Fn(&mut Self, &[usize])) {
        let count = at(self.root, place).map_or(0, DocValue::len);
        (0..count).for_each(|index| visit(self, &[place, &[index]].concat()));
    }

    fn push(&mut self, place: &[usize], of: Named, unit: usize) {
        if let Some(DocValue::Text(name)) = at(self.root, place) {
            let name = Arc::clone(name);
            self.uses.push(NameUse {
                of,
                name,
                place: place.to_owned(),
                is_key: false,
                defines: false,
                unit,
            });
        }
    }

    /// The key of an entry.
    fn key(&mut self, place: &[usize], of: Named, defines: bool) {
        let [container @ .., position] = place else { return };
        if let Some(DocValue::Map(entries)) = at(self.root, container)
            && let Some((DocValue::Text(name), _)) = entries.get(*position)
        {
            let name = Arc::clone(name);
            self.uses.push(NameUse {
                of,
                name,
                place: place.to_owned(),
                is_key: true,
                defines,
                unit: place.len(),
            });
        }
    }

    /// The name in a field.
    fn value(&mut self, place: &[usize], field: &str, of: Named, unit: usize) {
        if let Some(position) = at(self.root, place).and_then(|value| value.position(field)) {
            self.push(&[place, &[position]].concat(), of, unit);
        }
    }

    /// The names in the list of a field, each of which may go alone.
    fn items(&mut self, place: &[usize], field: &str, of: Named) {
        self.each(place, field, |list, item| list.push(item, of, item.len()));
    }

    /// One name or a list of names of art.
    fn art(&mut self, place: &[usize]) {
        self.value(place, "art", Named::Art, place.len());
        self.items(place, "art", Named::Art);
    }

    /// The keys of the map of a field.
    fn keys(&mut self, place: &[usize], field: &str, of: Named) {
        self.each(place, field, |list, entry| list.key(entry, of, false));
    }

    /// The values of art of a pose or an outfit.
    fn posed_art(&mut self, of: &[usize]) {
        self.each(of, "art", |list, art| {
            list.key(art, Named::Art, false);
            list.value(art, "switch", Named::Art, art.len() + 1);
            let shape = at(list.root, art).and_then(|art| art.position("shape"));
            shape.iter().for_each(|shape| list.shape(&[art, &[*shape]].concat(), art.len() + 1));
        });
    }

    /// Art in a value: one name, or weights by name.
    fn shape(&mut self, place: &[usize], unit: usize) {
        self.push(place, Named::Art, unit);
        if let Some(DocValue::Map(_)) = at(self.root, place) {
            self.within(place, |list, weight| list.key(weight, Named::Art, false));
        }
    }

    fn bones(&mut self) {
        self.section("bones", |list, bone| {
            list.key(bone, Named::Bone, true);
            list.value(bone, "parent", Named::Bone, bone.len());
            list.value(bone, "line", Named::Art, bone.len() + 1);
        });
    }

    fn skin(&mut self) {
        self.section("skin", |list, binding| {
            list.art(binding);
            list.value(binding, "bone", Named::Bone, binding.len());
            list.items(binding, "bones", Named::Bone);
            list.each(binding, "brush", |list, stroke| {
                list.value(stroke, "bone", Named::Bone, stroke.len());
                list.items(stroke, "lock", Named::Bone);
            });
            list.items(binding, "pins", Named::Bone);
            list.keys(binding, "stiff", Named::Art);
            list.each(binding, "weights", |list, row| {
                list.within(row, |list, weight| list.key(weight, Named::Bone, false))
            });
            list.keys(binding, "others", Named::Bone);
            list.each(binding, "paint", |list, bone| list.push(bone, Named::Bone, bone.len() - 1));
        });
    }

    fn constraint(&mut self, place: &[usize]) {
        let whole = place.len();
        self.value(place, "name", Named::Constraint, whole);
        if let Some(last) = self.uses.last_mut().filter(|last| last.of == Named::Constraint) {
            last.defines = true;
        }
        for field in ["tip", "bone", "from", "target"] {
            self.value(place, field, Named::Bone, whole);
        }
        self.value(place, "on", Named::Bone, whole + 1);
        self.items(place, "bones", Named::Bone);
        self.keys(place, "stiffness", Named::Bone);
        self.art(place);
        self.each(place, "also", |list, end| {
            list.value(end, "tip", Named::Bone, end.len());
            list.value(end, "target", Named::Bone, end.len());
        });
    }

    /// What a clip or a driver moves.
    fn moved(&mut self, place: &[usize]) {
        self.each(place, "bones", |list, bone| {
            list.key(bone, Named::Bone, false);
            list.within(bone, |list, channel| list.value(channel, "follow", Named::Bone, channel.len()));
            list.each(bone, "parent", |list, key| list.push(&[key, &[1]].concat(), Named::Bone, key.len()));
        });
        for field in ["offsets", "setup", "weights"] {
            self.each(place, field, |list, art| {
                list.key(art, Named::Art, false);
                list.within(art, |list, vertex| {
                    list.value(vertex, "bone", Named::Bone, vertex.len());
                    if field == "weights" {
                        let long = at(list.root, vertex).and_then(|channel| channel.position("keys"));
                        let keys = [vertex, long.as_slice()].concat();
                        list.within(&keys, |list, key| {
                            list.within(&[key, &[1]].concat(), |list, weight| {
                                list.key(weight, Named::Bone, false)
                            });
                        });
                    }
                });
            });
        }
        self.keys(place, "ink", Named::Art);
        self.each(place, "art", |list, art| {
            list.key(art, Named::Art, false);
            for field in ["switch", "shape"] {
                let Some(channel) = at(list.root, art).and_then(|art| art.position(field)) else { continue };
                let channel = [art, &[channel]].concat();
                let long = at(list.root, &channel).and_then(|channel| channel.position("keys"));
                list.within(&[&channel[..], long.as_slice()].concat(), |list, key| {
                    list.shape(&[key, &[1]].concat(), key.len());
                });
            }
        });
        self.keys(place, "constraints", Named::Constraint);
    }
}

/// The new name where a use names what is renamed; art may be a step of an address.
fn renamed(of: Named, used: &str, from: &str, to: &str) -> Option<String> {
    if used == from {
        return Some(to.to_owned());
    }
    let steps = || used.split('/');
    if of != Named::Art || !steps().any(|step| step == from) {
        return None;
    }
    Some(steps().map(|step| if step == from { to } else { step }).collect::<Vec<_>>().join("/"))
}

/// Renames something wherever a file has its name; how often it did.
pub(super) fn rename(
    root: &mut DocValue,
    of: Named,
    (from, to): (&str, &str),
    scope: Option<&[usize]>,
) -> usize {
    let mut count = 0;
    for used in uses(root) {
        if scope.is_some_and(|scope| used.scope(root) != scope) {
            continue;
        }
        let Some(new) = renamed(of, &used.name, from, to).filter(|_| used.of == of) else { continue };
        count += 1;
        if used.is_key {
            let [container @ .., position] = used.place.as_slice() else { continue };
            if let Some(DocValue::Map(entries)) = at_mut(root, container)
                && let Some((key, _)) = Arc::make_mut(entries).get_mut(*position)
            {
                *key = DocValue::text(&new);
            }
        } else if let Some(value) = at_mut(root, &used.place) {
            *value = DocValue::text(&new);
        }
    }
    count
}
