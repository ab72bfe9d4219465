//! `events`: prints the events that the frames of clips own, and gives them to the files that have them.

use std::fmt::Write as _;

use bone_export::ExportEvent;
use bone_format::SkinDetail;
use bone_rig::{EventPayload, EventValue, Rig, RigClip, RigSound};
use serde_json::{Map, Value};

use crate::args::EventsArgs;
use crate::exit::Exit;
use crate::frames::{Fps, Selection};
use crate::picture::{self, LoadedRig};
use crate::report;

/// The greatest number of events of a clip: more is a typing error.
pub(crate) const MOST_EVENTS: usize = 1_000_000;

pub(crate) fn run(args: &EventsArgs) -> Exit {
    let opened = picture::open(&args.rig, &args.files, SkinDetail::Bones, !args.json, args.json);
    let LoadedRig { scene, .. } = match opened {
        Ok(opened) => opened,
        Err(exit) => return exit,
    };
    match listed(args, &scene) {
        Ok(text) => report::print_result(text),
        Err(message) => Exit::Usage.because(message),
    }
}

/// The events of the chosen clips as text.
fn listed(args: &EventsArgs, scene: &Rig) -> Result<String, String> {
    let clips: Vec<&RigClip> = match args.clip.as_deref() {
        Some("all") if scene.clip("all").is_none() => scene.clips().iter().collect(),
        name => picture::clip(name, scene)?.into_iter().collect(),
    };
    let fps = args.fps.unwrap_or(Fps::new(scene.fps()));
    let (mut values, mut text) = (Vec::new(), String::new());
    for clip in clips {
        let all = || Selection::first(clip.frame_count(fps.get()));
        let frames = match &args.frames {
            Some(frames) => frames.iter().collect(),
            None => all()?.iter().collect::<Vec<u64>>(),
        };
        let found = of_frames(scene, Some(clip), fps, &frames)?;
        if found.is_empty() && !args.json {
            _ = writeln!(text, "{}: no events", clip.name());
        }
        for event in found {
            let frame = frames.get(event.frame).copied().unwrap_or_default();
            let time = event.time + frames.first().map_or(0.0, |first| fps.time(*first));
            let event = ExportEvent { time, ..event };
            let mut json = event.json();
            json.insert("clip".to_owned(), clip.name().into());
            json.insert("frame".to_owned(), frame.into());
            if !args.json {
                let ExportEvent { name, payload, weight, .. } = &event;
                _ = write!(text, "{}: frame {frame}, {} s: {name}", clip.name(), json["time"]);
                if !payload.is_null() {
                    _ = write!(text, " {payload}");
                }
                if let Some(weight) = json.get("weight").filter(|_| *weight != 1.0) {
                    _ = write!(text, " (weight {weight})");
                }
                text.push('\n');
            }
            values.push(Value::Object(json));
        }
    }
    Ok(if args.json { format!("{:#}\n", Value::Array(values)) } else { text })
}

/// The events that frames of a clip own. Those between two frames of the list are the later one's.
pub(crate) fn of_frames(
    scene: &Rig,
    clip: Option<&RigClip>,
    fps: Fps,
    frames: &[u64],
) -> Result<Vec<ExportEvent>, String> {
    let (Some(clip), Some(first), Some(last)) = (clip, frames.first(), frames.last()) else {
        return Ok(Vec::new());
    };
    let (events, more) = clip.frame_events(fps.get(), *first..last.saturating_add(1), MOST_EVENTS);
    if more {
        return Err(format!("\"{}\" has more than {MOST_EVENTS} events", clip.name()));
    }
    let start = fps.time(*first);
    let event = |found: bone_rig::FrameEvent| {
        let event = scene.events().get(found.event.index())?;
        let frame = frames.partition_point(|frame| *frame < found.frame).min(frames.len() - 1);
        // The first frame owns what is just before it.
        let time = (found.time - start).max(0.0);
        let payload = payload(&event.payload);
        Some(ExportEvent { frame, time, name: event.name.clone(), payload, weight: found.weight })
    };
    Ok(events.into_iter().filter_map(event).collect())
}

fn payload(payload: &EventPayload) -> Value {
    match payload {
        EventPayload::None => Value::Null,
        EventPayload::Text(text) => text.as_str().into(),
        EventPayload::Number(value) => number(*value),
        EventPayload::Values(values) => {
            let value = |value: &EventValue| match value {
                EventValue::Number(value) => number(*value),
                EventValue::Text(text) => text.as_str().into(),
                EventValue::Flag(flag) => Value::Bool(*flag),
            };
            Value::Object(values.iter().map(|(name, of)| (name.clone(), value(of))).collect::<Map<_, _>>())
        }
        EventPayload::Sound(RigSound { from, gain, fade: (comes, goes) }) => {
            serde_json::json!({ "sound": { "from": number(*from), "gain": number(*gain), "fade": [number(*comes), number(*goes)] } })
        }
    }
}

/// Whole numbers without a point, as they were typed.
fn number(value: f64) -> Value {
    if value == value.trunc() && value.abs() < 1e15 { Value::from(value as i64) } else { value.into() }
}
