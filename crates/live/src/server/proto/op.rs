//! Operations of a page: the edits of a session by their names, and some that stand for several of them.

use bone_format::doc::{Ease, Extend};
use bone_format::session::{DocPath, DocValue, Edit, Named, Session};
use kurbo::Point;
use serde_json::Value;

use crate::message::{Reason, Wire, WireEnum};

macro_rules! edit_messages {
    ($($edits:tt)*) => { union_of! { Edit by "op" { $($edits)* } } };
}

bone_format::for_edits!(edit_messages!);

messages! {
    /// Operations that are edits of a session only together with the rig that there is.
    union PageOp by "op" {
        /// Adds a bone between two points of the canvas; without `from` it starts at the tip of its parent.
        AddBone { name: String, parent: Option<String>, from: Option<Point>, to: Point },
        /// Adds a clip of so many seconds; it hides the drawing's group of bone lines.
        AddClip { name: String, length: f64 },
        /// Binds each piece of art in the place of the binding that it has; `how` is `Rigid` or `Smooth`.
        Bind { arts: Vec<String> = Vec::new(), bones: Vec<String> = Vec::new(), how: String },
        /// Takes art out of the bindings that name it; a binding without art goes.
        Unbind { arts: Vec<String> = Vec::new() },
    }
}

/// An operation of a page.
#[derive(Clone, Debug)]
pub(crate) enum Op {
    Edit(Edit),
    Page(PageOp),
}

impl Wire for Op {
    const WHAT: &'static str = "an object";

    #[cfg(test)]
    fn typescript() -> String {
        "Op".to_owned()
    }

    fn read(value: &Value) -> Result<Self, Reason> {
        let op = value.as_object().ok_or("an operation is an object with the field `op`")?;
        let name = String::field(op, PageOp::TAG)?;
        let read = || match PageOp::read_variant(&name, op)? {
            Some(own) => Ok(Self::Page(own)),
            None => Edit::read_message(op, "operation").map(Self::Edit),
        };
        read().map_err(|why: Reason| format!("{name}: {why}"))
    }

    fn json(&self) -> Value {
        match self {
            Self::Edit(edit) => edit.message(),
            Self::Page(own) => own.message(),
        }
    }
}

impl Op {
    /// Whether it needs the drawing of the rig.
    pub(crate) fn binds(&self) -> bool {
        matches!(self, Self::Page(PageOp::Bind { .. } | PageOp::Unbind { .. }))
    }
}

/// The edits of the operations of a message.
pub(crate) fn edits(ops: &[Op], session: &Session) -> Result<Vec<Edit>, Reason> {
    let mut all = Vec::new();
    for op in ops {
        match op {
            Op::Edit(edit) => all.push(edit.clone()),
            Op::Page(own) => all.extend(own.edits(session)?),
        }
    }
    Ok(all)
}

impl PageOp {
    fn edits(&self, session: &Session) -> Result<Vec<Edit>, Reason> {
        let named = |arts: &'_ [String]| match arts.is_empty() {
            true => Err("`arts` must be a list of names"),
            false => Ok(arts.to_vec()),
        };
        Ok(match self {
            Self::AddBone { name, parent, from, to } => {
                vec![Edit::add_bone(name, parent.as_deref(), *from, *to)]
            }
            Self::AddClip { name, length } => add_clip(name, *length, session),
            Self::Bind { arts, bones, how } => {
                let binding = binding(bones, how).map_err(|why| format!("Bind: {why}"))?;
                let arts = named(arts).map_err(|why| format!("Bind: {why}"))?;
                arts.into_iter().map(|art| Edit::Bind { art, binding: binding.clone() }).collect()
            }
            Self::Unbind { arts } => {
                let arts = named(arts).map_err(|why| format!("Unbind: {why}"))?;
                arts.into_iter().map(|art| Edit::Unbind { art }).collect()
            }
        })
    }
}

/// A new clip, which does not show the bone lines of the drawing.
fn add_clip(name: &str, length: f64, session: &Session) -> Vec<Edit> {
    let mut edits = vec![Edit::add_clip(name, length)];
    if let Some((_, guides)) = session.rig().and_then(|rig| bone_authoring::shown_guides(rig.art())) {
        let hidden = DocValue::list([DocValue::tuple(None, [0.0.into(), false.into()])]);
        let at = DocPath::clip(name).name("art").name(&guides).name("visible");
        edits.push(Edit::set(at, hidden));
    }
    edits
}

/// A binding without its art.
fn binding(bones: &[String], how: &str) -> Result<DocValue, &'static str> {
    match (how, bones) {
        ("Rigid", [bone]) => Ok(DocValue::fields(Some("Rigid"), [("bone", bone.as_str().into())])),
        ("Rigid", _) => Err("a rigid binding has one bone"),
        ("Smooth", [_, ..]) => {
            let bones = DocValue::list(bones.iter().map(|bone| bone.as_str().into()));
            Ok(DocValue::fields(Some("Smooth"), [("bones", bones)]))
        }
        ("Smooth", []) => Err("a binding has at least one bone"),
        _ => Err("`how` must be Rigid or Smooth"),
    }
}

/// What documents say of the operations: an edit that a page writes in another form is left out.
#[cfg(test)]
pub(super) fn texts() -> Vec<crate::message::RecordText> {
    let own = PageOp::texts();
    let is_own = |name: &str| own.iter().any(|text| text.name == name);
    let edits: Vec<_> = Edit::texts().into_iter().filter(|text| !is_own(text.name)).collect();
    edits.into_iter().chain(own).collect()
}
