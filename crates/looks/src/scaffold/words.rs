//! What a first rig says in its comments: where the numbers come from, what could not be bound and why, all art that there is, and
//! how art gets a name in the program that made the drawing.

use kurbo::Rect;

use super::art::{self, Piece};
use super::bind::How;
use super::plan::Plan;
use super::{BoneStyle, FileNames};
use rig_format::write::{Comments, quoted};

/// So long is a line of names.
const LINE: usize = 90;
/// So much is said of a reason.
const MOST_LETTERS: usize = 70;
/// So many bones are named that no art follows.
const MOST_IDLE: usize = 60;

impl Plan<'_> {
    pub(super) fn comments(&self) -> Comments {
        let canvas = self.art.canvas();
        let size = self.art.size();
        let FileNames { drawing, rig } = self.called;
        let mut comments = Comments::new()
            .top(&format!("A first rig for {drawing}. It may be changed as you like; what it says is described in FORMAT.md."))
            .top(&format!("    render-frames check {rig}           what is wrong with it"))
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
                    "They are the lines of the group {}. What starts where another one ends hangs on it.{}",
                    self.guides.map_or(String::new(), |id| quoted(&art::name(self.art, id))),
                    match self.passed_over {
                        0 => String::new(),
                        1 => " One shape in it is no open line and was passed over.".to_owned(),
                        n => format!(" {n} shapes in it are no open lines and were passed over."),
                    },
                ),
            ),
            false => comments.before(
                "bones",
                "The drawing shows none, so here is one through all of it. Draw lines on a layer called \"bones\" to get\n\
                 a bone a line, or type them: from is where a bone turns, to its tip, parent the bone it hangs on.",
            ),
        };
        if self.drawn {
            comments = comments.before("bones", &self.read_again(rig));
        }
        let idle = self.idle();
        if !idle.is_empty() {
            comments = comments.before("bones", &idle);
        }
        comments = comments.before(
            "skin",
            "Which art follows which bones: Rigid rides along with one, Smooth bends with several.",
        );
        for (piece, how) in &self.pieces {
            comments = comments.after("skin", &self.not_bound(piece, how));
        }
        if self.more > 0 {
            comments = comments.after(
                "skin",
                &format!("{} more pieces of art stay: too many to bind one by one.", self.more),
            );
        }
        comments = comments.before("clips", "A movement to see that it works: (seconds, degrees).");
        let list = art::list(self.art, self.guides);
        if !list.is_empty() {
            comments = comments.end("\nThe art of the drawing, and how it can be bound:");
            comments = list.iter().fold(comments, |comments, line| comments.end(line));
            if list.iter().any(|line| line.contains('#')) {
                comments =
                    comments.end("#3 is the third piece of art in what it stands in: shapes need no names.");
            }
        }
        if let Some(words) = naming(self.svg) {
            comments = comments.end(words);
        }
        comments
    }

    /// What becomes of bones when their lines move.
    fn read_again(&self, rig: &str) -> String {
        let lines = self.bones.iter().filter(|bone| bone.line.is_some()).count();
        match self.style {
            BoneStyle::Places => {
                format!("After lines were moved in the drawing: render-frames init --update {rig}")
            }
            BoneStyle::Lines if lines == self.bones.len() => {
                "A bone with `line` moves when its line in the drawing does.".to_owned()
            }
            BoneStyle::Lines => {
                "A bone with `line` moves when its line in the drawing does. The others are parts of lines with several\n\
                 stretches, or are drawn from their tips: their places are typed."
                    .to_owned()
            }
        }
    }

    /// Which bones no art follows: `check` warns of them.
    fn idle(&self) -> String {
        let moving = self.moving();
        let idle = (0..self.bones.len()).filter(|bone| !moving[*bone]).map(|bone| &self.bones[bone]);
        let names: Vec<String> = idle.map(|bone| quoted(&bone.name)).collect();
        if names.is_empty() || self.pieces.is_empty() {
            return String::new();
        }
        let mut lines = vec![
            "No art follows these bones, because none is drawn there or other bones are nearer:".to_owned(),
        ];
        let listed = names.iter().take(MOST_IDLE).map(String::as_str);
        let more = names.len().saturating_sub(MOST_IDLE);
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

    /// A line for art that could be bound and is not.
    fn not_bound(&self, piece: &Piece, how: &How) -> String {
        let bone = self.bones.first().map_or("", |bone| bone.name.as_str());
        match how {
            How::Not(why) => {
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

    /// What a unit of the drawing is, if it is not the pixel.
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

/// With at most two digits.
fn short(value: f64) -> String {
    ((value * 100.0).round() / 100.0).to_string()
}

/// How art gets names in the program that made the drawing.
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
