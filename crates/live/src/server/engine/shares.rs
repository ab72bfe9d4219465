//! What pages ask about many places at once: shares of a bone, and the way of its tip.

use bone_format::doc::{BindingDoc, StrokeDoc};
use kurbo::Point;

use super::Engine;
use crate::message::Reason;
use crate::server::proto::{Moment, Reply, WeightBinding, WeightPath, WeightStroke};

/// At most so many frames of a way are looked at.
const MOST_FRAMES: f64 = 2000.0;

impl Engine {
    /// Where the tip of a bone is in each frame.
    pub(super) fn trail(
        &mut self,
        seq: u32,
        moment: Moment,
        bone: String,
        (from, to): (f64, f64),
    ) -> Result<(), Reason> {
        let (rig, ..) = self.rig()?;
        let id = rig.skeleton().find(&bone).ok_or_else(|| format!("there is no bone \"{bone}\""))?;
        if !(from.is_finite() && to >= from) {
            return Err("`from` and `to` are seconds, in this order".to_owned());
        }
        let frames = ((to - from) * rig.fps() + 1e-6).floor().min(MOST_FRAMES) as u32;
        let (mut times, mut points): (Vec<f64>, Vec<Point>) = Default::default();
        for frame in 0..=frames {
            let time = from + f64::from(frame) / rig.fps();
            let (rig, state) = self.pose(&Moment { time, ..moment.clone() })?;
            times.push(time);
            points.push(state.world().tip(rig.skeleton(), state.driven(), id));
        }
        self.outbox.send(&Reply::Trail { seq, bone, times, points });
        Ok(())
    }

    /// The shares of a bone at the vertices of art that bends.
    pub(super) fn weights(&mut self, seq: u32, name: String, wanted: Option<&str>) -> Result<(), Reason> {
        let (rig, doc, _) = self.rig()?;
        let (art, skeleton) = (rig.art(), rig.skeleton());
        let bone = skeleton.find(&name).ok_or_else(|| format!("there is no bone \"{name}\""))?;
        let (mut paths, mut bindings) = (Vec::new(), Vec::new());
        for binding in doc.skin.iter().filter(|binding| wanted.is_none_or(|art| binding.is_of(art))) {
            let names: Vec<String> = binding.names().iter().map(|name| name.value.clone()).collect();
            let strokes = match binding {
                BindingDoc::Rigid(_) | BindingDoc::Puppet(_) => continue,
                BindingDoc::Explicit(_) => None,
                BindingDoc::Smooth(smooth) => Some(smooth.brush.iter().map(stroke).collect()),
            };
            bindings.push(WeightBinding { art: names.clone(), strokes });
            for (index, path) in bone_format::weights_of(binding, (&doc, art), skeleton).iter().enumerate() {
                let vertices = path.lines.iter().flat_map(|line| line.vertices());
                let point = |(number, (vertex, row)): (
                    usize,
                    (&bone_skin::Vertex, &bone_format::edit::VertexWeights),
                )| {
                    let share =
                        row.anchor.influences().iter().find(|(id, _)| *id == bone).map_or(0.0, |it| it.1);
                    (vertex.anchor.x, vertex.anchor.y, share, number)
                };
                let points = vertices.zip(&path.rows).enumerate().map(point).collect();
                let element = art.element(path.art.element());
                paths.push(WeightPath {
                    art: element.map(|element| element.key.to_string()),
                    binding: names.clone(),
                    path: index,
                    points,
                });
            }
        }
        self.outbox.send(&Reply::Weights { seq, bone: name, bindings, paths });
        Ok(())
    }
}

fn stroke(typed: &StrokeDoc) -> WeightStroke {
    WeightStroke {
        bone: typed.bone.as_ref().map(|bone| bone.value.clone()),
        much: typed.add.or(typed.smooth).map_or(0.0, |much| much.value),
        width: typed.width.value,
    }
}
