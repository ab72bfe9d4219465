//! The format as data, for editors: the tables of `FORMAT.md`, which are the only place where fields are
//! described. Lists what may be written. Whether fields fit together is checked by [`load`](crate::load).

/// The fields of one pair of round brackets.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct FormatTable {
    /// What types call it: `Bone`.
    pub name: &'static str,
    /// In the order of the reference.
    pub fields: Vec<FormatField>,
}

/// A field: `length: 60`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct FormatField {
    /// The name before the colon.
    pub name: &'static str,
    /// The type of its value, with the unit: `seconds > 0`, `map name -> Bone`, or the allowed words.
    pub of: &'static str,
    /// What holds if it is not given; none if it must be.
    pub default: Option<&'static str>,
    /// An example of a value, in RON.
    pub example: &'static str,
    /// What it is for, in Markdown.
    pub meaning: &'static str,
}

impl FormatField {
    /// The words that its type lists.
    pub fn words(&self) -> impl Iterator<Item = &'static str> {
        let is_word = |word: &&str| word.starts_with(|c: char| c.is_ascii_uppercase());
        self.of.split('`').skip(1).step_by(2).filter(is_word)
    }
}

/// What a rig file may hold, the whole file first.
///
/// ```
/// let tables = rig_format::format();
/// let bone = tables.iter().find(|table| table.name == "Bone").ok_or("no bones")?;
/// let joint = bone.fields.iter().find(|field| field.name == "joint").ok_or("no joints")?;
/// assert_eq!(joint.words().collect::<Vec<_>>(), ["Free", "Pin", "Slide", "Fixed"]);
/// assert_eq!(joint.default, Some("`Pin`"));
/// # Ok::<(), &str>(())
/// ```
pub fn format() -> Vec<FormatTable> {
    let mut tables: Vec<FormatTable> = Vec::new();
    let mut open = false;
    for line in include_str!("../FORMAT.md").lines() {
        let cells = line.strip_prefix("| ").and_then(|row| row.strip_suffix(" |"));
        let cells: Vec<&str> = cells.map(|row| row.split(" | ").collect()).unwrap_or_default();
        match cells.as_slice() {
            [head, "type", "default", "example", "meaning"] => {
                tables.push(FormatTable { name: head.trim_matches('*'), fields: Vec::new() });
                open = true;
            }
            [name, of, default, example, meaning] if open => {
                let field = FormatField {
                    name: name.trim_matches('`'),
                    of,
                    default: (*default != "required").then_some(default),
                    example: example.trim_matches('`'),
                    meaning,
                };
                if let Some(table) = tables.last_mut() {
                    table.fields.push(field);
                }
            }
            _ => open &= line.starts_with("|---"),
        }
    }
    tables
}
