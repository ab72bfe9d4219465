//! The arguments about the part of the drawing that is drawn, and its size.

use clap::builder::{TypedValueParser as _, ValueParser};
use kurbo::Rect;

/// Which part of the drawing is drawn.
#[derive(Clone, Copy, Debug, Default, clap::Args)]
pub(crate) struct ViewArgs {
    /// Part of the canvas in place of the page: its left and upper side, width and height in canvas units
    #[arg(help_heading = "Part of the drawing", hide_short_help = true, long, value_name = "X,Y,W,H", value_parser = rectangle, allow_hyphen_values = true, conflicts_with = "fit")]
    pub(crate) view: Option<Rect>,

    /// Everything that is painted in the frames of the clip, in place of the page
    #[arg(help_heading = "Part of the drawing", hide_short_help = true, long)]
    pub(crate) fit: bool,

    /// Space around it, in canvas units
    #[arg(help_heading = "Part of the drawing", hide_short_help = true, long, value_name = "UNITS", value_parser = margin())]
    pub(crate) margin: Option<f64>,

    /// Width of the frame in pixels; the height follows, or is given by --height
    #[arg(help_heading = "Part of the drawing", hide_short_help = true, long, value_name = "PIXELS", conflicts_with_all = ["size", "scale"], value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) width: Option<u32>,

    /// Height of the frame in pixels; the width follows, or is given by --width
    #[arg(help_heading = "Part of the drawing", hide_short_help = true, long, value_name = "PIXELS", conflicts_with_all = ["size", "scale"], value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) height: Option<u32>,

    /// Show what is painted outside of the page where a --size of another shape has room for it
    #[arg(help_heading = "Part of the drawing", hide_short_help = true, long)]
    pub(crate) bleed: bool,
}

impl ViewArgs {
    /// Whether something else than the page is drawn.
    pub(crate) fn is_part(&self) -> bool {
        self.view.is_some() || self.fit || self.margin.is_some()
    }
}

fn rectangle(text: &str) -> Result<Rect, String> {
    let wrong = || "four numbers like 0,0,200,100: left, top, width and height".to_owned();
    let numbers: Result<Vec<f64>, _> = text.split(',').map(|number| number.trim().parse()).collect();
    let Ok(&[x, y, width, height]) = numbers.as_deref() else { return Err(wrong()) };
    let all = [x, y, width, height];
    if !all.iter().all(|number| number.abs() <= 1e9) || width <= 0.0 || height <= 0.0 {
        return Err(format!("{}; the width and the height are above 0", wrong()));
    }
    Ok(Rect::from_origin_size((x, y), (width, height)))
}

fn margin() -> ValueParser {
    clap::builder::StringValueParser::new()
        .try_map(|text| match text.parse::<f64>() {
            Ok(margin) if (0.0..=1e9).contains(&margin) => Ok(margin),
            _ => Err("a margin is a number of canvas units, 0 or more".to_owned()),
        })
        .into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn views_are_four_numbers() {
        assert_eq!(rectangle("-5, 2.5,10,20"), Ok(Rect::new(-5.0, 2.5, 5.0, 22.5)));
        for wrong in ["", "1,2,3", "1,2,3,4,5", "0,0,0,5", "0,0,5,-1", "nan,0,1,1", "0,0,1e300,1", "a,b,c,d"]
        {
            assert!(rectangle(wrong).is_err(), "{wrong}");
        }
    }
}
