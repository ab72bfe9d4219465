//! Shots of scenes as pages show and key them. In the rig that a scene becomes, a clip has the keys of a shot; in the text
//! they are those of the camera and of what the actors do.

use std::collections::BTreeSet;

use bone_core::clip::SequencePart;
use bone_format::doc::{PlayDoc, RigDoc, StagedActor, StagedPlay};
use bone_format::session::{DocPath, DocValue, PathStep, Session};
use bone_format::span::Spanned;
use bone_rig::Rig;

use crate::message::Reason;
use crate::server::proto::{ActorFacts, ShotPart};

/// The keys of an actor in a shot, and the channels of its bone that they are.
const KEYS: [(&str, &str); 2] = [("move", "move"), ("turn", "rotate")];

/// Where the text has a channel of a clip: that of a shot in the shot.
///
/// # Errors
/// If a shot has no such keys.
pub(crate) fn written(doc: &RigDoc, path: DocPath) -> Result<DocPath, Reason> {
    let names: Vec<&str> = path.steps.iter().filter_map(PathStep::name).collect();
    let Some(shot) = names.get(1).and_then(|clip| doc.shot_of(clip)) else { return Ok(path) };
    let at = DocPath::from(["shots", shot]);
    match names[2..] {
        ["camera", channel] => Ok(at.name("camera").name(channel)),
        ["bones", actor, channel] if doc.actors.iter().any(|it| it.name == actor) => {
            let keys = KEYS.iter().find(|(_, of)| *of == channel).map(|(keys, _)| *keys);
            let why = || format!("in a shot \"{actor}\" is moved and turned; its size is that of the actor");
            Ok(at.name("actors").name(actor).name(keys.ok_or_else(why)?))
        }
        ["bones", bone, _] => {
            Err(format!("\"{bone}\" is of the rig of an actor: key the clips of that rig, or move the actor"))
        }
        _ => Err(format!("\"{shot}\" is a shot: key its camera and its actors, or the clips that they play")),
    }
}

/// The channel of a clip that keys of a shot are, from behind the shot.
pub(crate) fn channel_of<'p>(path: &[&'p str]) -> Option<[&'p str; 3]> {
    let ["actors", actor, keys] = *path else { return None };
    let (_, channel) = KEYS.iter().find(|(name, _)| *name == keys)?;
    Some(["bones", actor, channel])
}

/// The keys of a shot, as they are written: what they are of, and their name.
pub(crate) fn channels<'v>(at: &DocPath, shot: &'v DocValue) -> Vec<(DocPath, &'v DocValue)> {
    let mut all = Vec::new();
    for (actor, role) in shot.field("actors").map(DocValue::entries).unwrap_or_default() {
        let of_actor = at.clone().name("actors").name(&actor);
        let keyed =
            KEYS.iter().filter_map(|(keys, _)| Some((of_actor.clone().name(keys), role.field(keys)?)));
        all.extend(keyed);
    }
    let camera = shot.field("camera").map(DocValue::entries).unwrap_or_default();
    all.extend(camera.into_iter().map(|(channel, keys)| (at.clone().name("camera").name(&channel), keys)));
    all
}

/// The actors that are not there in a shot.
pub(crate) fn hidden(shot: &DocValue) -> Vec<String> {
    let roles = shot.field("actors").map(DocValue::entries).unwrap_or_default();
    let is_hidden = |role: &DocValue| matches!(role.field("visible"), Some(DocValue::Bool(false)));
    roles.into_iter().filter(|(_, role)| is_hidden(role)).map(|(actor, _)| actor).collect()
}

/// The parts of a shot: of a scene those of its actors, of its film the shots. None of a clip.
pub(crate) fn parts(rig: &Rig, doc: &RigDoc, name: &str) -> Vec<ShotPart> {
    if doc.keyed(name).is_some() {
        let of_actor = |actor: &StagedActor, own: &StagedPlay| {
            let play = DocPath::from(["shots", name, "actors", &actor.name, "play"]);
            let at = own.part.map_or_else(|| play.clone(), |part| play.clone().index(part as usize));
            let times = [own.start, own.length, own.play.fades().start];
            ShotPart { of: Some(actor.name.clone()), ..part(at, &own.play, times) }
        };
        let plays = doc.actors.iter().flat_map(|actor| actor.plays.iter().map(move |play| (actor, play)));
        let here = plays.filter(|(_, play)| play.shot == name);
        return here.map(|(actor, play)| of_actor(actor, play)).collect();
    }
    let played = rig.clip(name).and_then(|clip| clip.sequence());
    let typed = doc.shots.iter().find(|shot| shot.name.value == name);
    let Some((played, typed)) = played.zip(typed) else { return Vec::new() };
    let all = played.parts().zip(&typed.play).enumerate();
    let of_shot = |(index, ((start, own), typed)): (usize, ((f64, &SequencePart), &PlayDoc))| {
        let times = [start, own.length, own.fade];
        match doc.shot_of(&typed.clip.value) {
            Some(shot) => {
                let whole = PlayDoc { clip: shot.to_owned().into(), ..PlayDoc::default() };
                part(DocPath::from(["shots", shot]), &whole, times)
            }
            None => part(DocPath::from(["shots", name, "play"]).index(index), typed, times),
        }
    };
    all.map(of_shot).collect()
}

fn part(at: DocPath, play: &PlayDoc, [start, length, fade]: [f64; 3]) -> ShotPart {
    let number = |field: Option<Spanned<f64>>| field.map(|field| field.value);
    ShotPart {
        at,
        of: None,
        clip: play.clip.value.clone(),
        start,
        length,
        fade,
        repeat: number(play.repeat),
        typed: number(play.length),
        from: number(play.from).unwrap_or(0.0),
        speed: number(play.speed).unwrap_or(1.0),
    }
}

/// The actors, as they are written.
pub(crate) fn actors(session: &Session, doc: &RigDoc) -> Vec<ActorFacts> {
    let shots = || doc.shots.iter().map(|shot| shot.name.value.as_str());
    let has_role =
        |shot: &str, actor: &str| session.get(&DocPath::from(["shots", shot, "actors", actor])).is_ok();
    let facts = |actor: &StagedActor| {
        let own = session.get(&DocPath::from(["actors", &actor.name])).ok();
        let text = |field: &str| own.as_ref()?.field(field)?.as_text().map(|text| text.to_string());
        let number = |field: &str| own.as_ref().and_then(|own| own.field(field)?.as_number());
        ActorFacts {
            name: actor.name.clone(),
            rig: text("rig").unwrap_or_default(),
            scale: number("scale").unwrap_or(1.0),
            behind: text("behind"),
            on: text("on"),
            clip: text("clip"),
            speed: number("speed").unwrap_or(1.0),
            shots: shots().filter(|shot| has_role(shot, &actor.name)).map(str::to_owned).collect(),
        }
    };
    doc.actors.iter().map(facts).collect()
}

/// The clips that a scene is made with, and that are not written: what a shot does itself, and halves of fades.
pub(crate) fn made(doc: &RigDoc) -> BTreeSet<&str> {
    if !doc.is_scene {
        return BTreeSet::new();
    }
    let of_actor = |actor: &StagedActor| -> Vec<String> {
        actor.plays.iter().map(|own| format!("{}/{}", actor.name, own.play.clip.value)).collect()
    };
    let typed: BTreeSet<String> = doc.actors.iter().flat_map(of_actor).collect();
    let layers = doc.shots.iter().flat_map(|shot| &shot.layers).map(|layer| layer.play.clip.value.as_str());
    let own =
        doc.clips.iter().map(|clip| clip.name.value.as_str()).filter(|clip| doc.shot_of(clip).is_some());
    layers.filter(|clip| !typed.contains(*clip)).chain(own).collect()
}
