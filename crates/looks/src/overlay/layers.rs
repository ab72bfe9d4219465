//! The layers of an overlay, and their text form: `bones,names,weights:thigh.L`.

use std::fmt;
use std::str::FromStr;

/// The layers of an overlay.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Layers {
    /// Bones.
    pub bones: bool,
    /// Names of bones.
    pub names: bool,
    /// Vertices, tangents and their numbers, of art that follows bones.
    pub vertices: bool,
    /// Vertices of this art only, whether or not it follows bones.
    pub vertices_of: Option<String>,
    /// Regions of influence.
    pub regions: bool,
    /// Weights of this bone.
    pub weights: Option<String>,
    /// The mesh of automatic weights.
    pub mesh: bool,
    /// Outlines.
    pub paths: bool,
    /// The names and addresses of shapes.
    pub art: bool,
    /// A grid in the drawing's units, with rulers.
    pub grid: bool,
}

/// A text that is not a list of layers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LayersError {
    message: String,
}

impl fmt::Display for LayersError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for LayersError {}

/// The names of layers.
const NAMES: [&str; 9] = ["bones", "names", "vertices", "regions", "weights", "mesh", "paths", "art", "grid"];

impl FromStr for Layers {
    type Err = LayersError;

    fn from_str(text: &str) -> Result<Self, LayersError> {
        let mut layers = Self::default();
        for part in text.split(',').map(str::trim) {
            let (name, of) = match part.split_once(':') {
                Some((name, of)) => (name.trim(), Some(of.trim().to_owned()).filter(|of| !of.is_empty())),
                None => (part, None),
            };
            match (name, of) {
                ("bones", None) => layers.bones = true,
                ("names", None) => layers.names = true,
                ("vertices", of) => {
                    layers.vertices = true;
                    layers.vertices_of = of;
                }
                ("regions", None) => layers.regions = true,
                ("weights", Some(bone)) => layers.weights = Some(bone),
                ("mesh", None) => layers.mesh = true,
                ("paths", None) => layers.paths = true,
                ("art", None) => layers.art = true,
                ("grid", None) => layers.grid = true,
                ("weights", None) => return Err(wrong("of which bone? write weights:BONE".to_owned())),
                (name, Some(_)) if NAMES.contains(&name) => {
                    return Err(wrong(format!("{name} takes nothing behind a colon")));
                }
                (name, _) => return Err(unknown(name)),
            }
        }
        Ok(layers)
    }
}

fn wrong(message: String) -> LayersError {
    LayersError { message }
}

fn unknown(name: &str) -> LayersError {
    let near = bone_format::diagnostic::nearest(name, NAMES);
    let near = near.map(|near| format!("did you mean {near}? ")).unwrap_or_default();
    wrong(format!(
        "there is no layer \"{name}\"; {near}layers are bones, names, vertices, regions, weights:BONE, mesh, paths, \
         art, grid"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn layers_are_parsed() {
        let layers: Layers = "bones, names,weights:thigh.L,vertices:arm".parse().expect("layers");
        assert!(layers.bones && layers.names && layers.vertices && !layers.mesh);
        assert_eq!(layers.weights.as_deref(), Some("thigh.L"));
        assert_eq!(layers.vertices_of.as_deref(), Some("arm"));
    }

    #[test]
    fn unknown_layers_are_an_error_with_a_hint() {
        let message = |text: &str| text.parse::<Layers>().expect_err(text).to_string();
        assert!(message("bonez").contains("did you mean bones?"));
        assert!(message("weights").contains("weights:BONE"));
        assert!(message("bones:arm").contains("colon"));
        assert!(message("").contains("there is no layer"));
    }
}
