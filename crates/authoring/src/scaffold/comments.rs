//! The comments of a scaffold: the units of its coordinates, the art that could not be bound and the reasons,
//! a list of all art, and how to name art in the program that made the drawing.

use kurbo::Rect;

use super::art::{self, ArtPiece};
use super::bind::PieceBinding;
use super::draft::ScaffoldDraft;
use super::request::{BoneStyle, FileNames};
use bone_format::write::{Comments, quoted};

/// The length of a line of names.
const LINE: usize = 90;
/// At most this many characters of a name or a reason are written.
const MOST_LETTERS: usize = 70;
/// At most this many bones without art are named.
const MOST_UNUSED: usize = 60;
/// At most this many lines around colours are named, each with at most so many colours, and pieces on others.
const MOST_LINES: usize = 20;
const MOST_COLOURS: usize = 6;

impl ScaffoldDraft<'_> {
    pub(super) fn comments(&self) -> Comments {
        let canvas = self.art.canvas();
        let size = self.art.size();
        let FileNames { drawing, rig } = self.called;
        let mut comments = Comments::new()
            .top(&format!("A scaffold for {drawing}: a rig to start from. Change it as you like; FORMAT.md describes all fields."))
            .top(&format!("    render-frames check {rig}           reports mistakes"))
            .top(&format!("    render-frames {rig} -o frames/      draws the first clip"));
        let range = |from: f64, to: f64| format!("{} to {}", short(from), short(to));
        comments = comments.before(
            "bones",
            &format!(
                "Bones by the coordinates of the drawing: x {}, y {} (down), as drawing programs show them{}",
                range(canvas.x0, canvas.x1),
                range(canvas.y0, canvas.y1),
                self.unit(canvas, size.width),
            ),
        );
        comments = match self.drawn {
            true => comments.before(
                "bones",
                &format!(
                    "They are the lines of the group {}.{}\nA line that starts at the end of another one has it as its parent.",
                    self.guides.map_or(String::new(), |id| quoted(&art::name(self.art, id))),
                    match self.other_shapes {
                        0 => String::new(),
                        1 => " One shape in it is not an open line and was ignored.".to_owned(),
                        n => format!(" {n} shapes in it are not open lines and were ignored."),
                    },
                ),
            ),
            false => comments.before(
                "bones",
                "The drawing has no lines for bones, so there is one bone through all of it. Draw lines on a layer called\n\
                 \"bones\" to get a bone for each, or type them: a bone turns about from, to is its tip, and parent is\n\
                 the bone that it is attached to.",
            ),
        };
        if self.drawn {
            comments = comments.before("bones", &self.read_again(rig));
        }
        let unused = self.unused();
        if !unused.is_empty() {
            comments = comments.before("bones", &unused);
        }
        comments = comments.before(
            "skin",
            "Which art follows which bones: Rigid moves with one bone, Smooth bends with several.",
        );
        for (line, colours) in self.lines.iter().take(MOST_LINES) {
            let colours = colours.iter().map(|name| first_letters(name, MOST_LETTERS)).take(MOST_COLOURS);
            let colours = colours.collect::<Vec<_>>().join(", ");
            let text = format!("{} drawn around {colours}: bound as one", first_letters(line, MOST_LETTERS));
            comments = comments.before("skin", &text);
        }
        for (piece, on) in self.covered.iter().take(MOST_LINES) {
            let [piece, on] = [piece, on].map(|name| first_letters(name, MOST_LETTERS));
            comments = comments.before("skin", &format!("{piece} lies on {on}: bound as one"));
        }
        for (piece, how) in &self.pieces {
            comments = comments.after("skin", &self.not_bound(piece, how));
        }
        if self.more > 0 {
            comments = comments.after(
                "skin",
                &format!("{} more pieces of art are not bound: they are too many.", self.more),
            );
        }
        comments = comments.before("clips", "A short movement to try the rig: (seconds, degrees).");
        let list = art::list(self.art, self.guides);
        if !list.is_empty() {
            comments = comments.end("\nThe art of the drawing, and how it can be bound:");
            comments = list.iter().fold(comments, |comments, line| comments.end(line));
            if list.iter().any(|line| line.contains('#')) {
                comments = comments.end("#3 is the third piece of art in its group: shapes need no names.");
            }
        }
        if let Some(hint) = naming(self.svg) {
            comments = comments.end(hint);
        }
        comments
    }

    /// How bones are updated when their lines move.
    fn read_again(&self, rig: &str) -> String {
        let lines = self.bones.iter().filter(|bone| bone.line.is_some()).count();
        match self.style {
            BoneStyle::Coordinates => {
                format!("After lines were moved in the drawing: render-frames init --update {rig}")
            }
            BoneStyle::Lines if lines == self.bones.len() => {
                "A bone with `line` moves when its line in the drawing does.".to_owned()
            }
            BoneStyle::Lines => {
                "A bone with `line` moves when its line in the drawing does. The others are parts of lines with several\n\
                 segments, or run from tip to origin: their coordinates are typed."
                    .to_owned()
            }
        }
    }

    /// The bones that no art follows: `check` warns about them.
    fn unused(&self) -> String {
        let moving = self.moving();
        let unused = (0..self.bones.len()).filter(|bone| !moving[*bone]).map(|bone| &self.bones[bone]);
        let names: Vec<String> = unused.map(|bone| quoted(&bone.name)).collect();
        if names.is_empty() || self.pieces.is_empty() {
            return String::new();
        }
        let mut lines = vec![
            "No art follows these bones, because none is drawn there or other bones are nearer:".to_owned(),
        ];
        let listed = names.iter().take(MOST_UNUSED).map(String::as_str);
        let more = names.len().saturating_sub(MOST_UNUSED);
        let more = (more > 0).then(|| format!("and {more} more"));
        let mut line = String::new();
        for word in listed.map(|name| first_letters(name, MOST_LETTERS)).chain(more) {
            if line.len() + word.len() > LINE && !line.is_empty() {
                lines.push(std::mem::take(&mut line));
            }
            let between = if line.is_empty() { "    " } else { " " };
            line += between;
            line += &word;
        }
        lines.push(line);
        lines.join("\n")
    }

    /// A commented line for art that could be bound and is not.
    fn not_bound(&self, piece: &ArtPiece, how: &PieceBinding) -> String {
        let bone = self.bones.first().map_or("", |bone| bone.name.as_str());
        match how {
            PieceBinding::Not(why) => {
                let line = format!(
                    "Rigid(art: {}, bone: {}),  // ",
                    quoted(piece.names.first().map_or("", String::as_str)),
                    quoted(bone)
                );
                line + &first_letters(why, MOST_LETTERS)
            }
            _ => String::new(),
        }
    }

    /// The unit of the drawing, if it is not the pixel.
    fn unit(&self, canvas: Rect, pixels: f64) -> String {
        let root = self.svg.find("<svg").and_then(|at| self.svg.get(at..)).unwrap_or("");
        let root = root.split('>').next().unwrap_or("");
        let width = root.split("width=").nth(1).and_then(|rest| rest.get(1..)).unwrap_or("");
        let width = width.split(['"', '\'']).next().unwrap_or("");
        let unit = ["mm", "cm", "in", "pt", "pc", "Q"].into_iter().find(|unit| width.trim().ends_with(unit));
        let factor = pixels / canvas.width();
        match unit {
            Some(unit) if width.trim().trim_end_matches(unit).parse() == Ok(canvas.width()) => {
                format!(".\nOne of its units is 1 {unit}, or {} pixels.", short(factor))
            }
            _ if (factor - 1.0).abs() > 1e-6 && factor.is_finite() => {
                format!(".\nThe picture is {width} wide: one unit is {} pixels.", short(factor))
            }
            _ => ".".to_owned(),
        }
    }
}

/// At most so many characters of a text.
fn first_letters(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// A number with at most two decimal digits.
fn short(value: f64) -> String {
    ((value * 100.0).round() / 100.0).to_string()
}

/// How to name art in the program that made the drawing.
fn naming(svg: &str) -> Option<&'static str> {
    let has = |word: &str| svg.contains(word);
    Some(if has("xmlns:inkscape") {
        "Names: in Inkscape, Object > Object Properties > Label (or ID); layers have theirs in the Layers dialog."
    } else if has("Adobe Illustrator") || has("_x5F_") || has("_x5f_") {
        "Names: those of Illustrator's Layers panel. It writes arm_left as arm_x5F_left, and adds _1_ to a name that is\n\
         used twice: both spellings are understood."
    } else if has("xmlns:serif") {
        "Names: those of Affinity's Layers panel; where it had to change one for the id, the name of the panel holds."
    } else if has("Sketch") {
        "Names: those of Sketch's layer list."
    } else if has("CorelDRAW") {
        "Names: those of CorelDRAW's Object Manager. It writes a space as _x0020_: both spellings are understood."
    } else if has("figma") || has("id=\"Frame") {
        "Names: those of Figma's layers, if \"Include id attribute\" was on when the drawing was exported."
    } else {
        return None;
    })
}
