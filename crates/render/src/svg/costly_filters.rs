//! Filters that would take hours: a few digits can ask for that much work. They are errors by their
//! parameters, or by the pixels that they look at.

use bone_drawing::Element;
use roxmltree::{Document, Node};

use super::limits::{MAX_KERNEL, MAX_MORPHOLOGY, MAX_OCTAVES};
use super::place::{LineIndex, SvgError};
use super::source::{is_svg, plain_attribute, tag_range};

/// Fails for a drawing with a filter that takes too much work for each pixel.
pub(crate) fn check(doc: &Document<'_>, text: &str, lines: &LineIndex<'_>) -> Result<(), SvgError> {
    for node in doc.descendants().filter(|node| is_svg(*node)) {
        if let Some(what) = too_much(node) {
            return Err(SvgError::LimitExceeded { what, place: Some(lines.place(tag_range(text, node))) });
        }
    }
    Ok(())
}

fn too_much(node: Node<'_, '_>) -> Option<String> {
    let numbers = |name: &str| -> Vec<f64> {
        let words = plain_attribute(node, name).unwrap_or("").split([' ', ',', '\t', '\n', '\r']);
        words.filter_map(|word| word.parse().ok()).collect()
    };
    match node.tag_name().name() {
        "feTurbulence" if numbers("numOctaves").iter().any(|octaves| *octaves > MAX_OCTAVES) => {
            Some(format!("a turbulence filter has more than {MAX_OCTAVES} octaves"))
        }
        "feConvolveMatrix" => {
            let order = numbers("order");
            let across = order.first().copied().unwrap_or(3.0);
            let down = order.get(1).copied().unwrap_or(across);
            (across * down > MAX_KERNEL)
                .then(|| format!("a convolution filter has a matrix of more than {MAX_KERNEL} numbers"))
        }
        _ => None,
    }
}

/// Fails for a drawing whose morphology filters look at too many pixels.
pub(crate) fn check_tree(
    tree: &usvg::Tree,
    elements: &[Element],
    lines: &LineIndex<'_>,
) -> Result<(), SvgError> {
    let page = f64::from(tree.size().width()) * f64::from(tree.size().height());
    // Regions are cut to five times the frame in both directions.
    let mut work = MorphologyWork { pixels: 25.0 * page, looked_at: 0.0 };
    let Some(key) = work.exceeded_in(tree.root(), "") else { return Ok(()) };
    let element = elements.iter().find(|element| *element.key == *key);
    Err(SvgError::LimitExceeded {
        what: format!(
            "its morphology filters look at more than {:.0} billion pixels; a smaller radius or a smaller region needs fewer",
            MAX_MORPHOLOGY / 1e9
        ),
        place: element.map(|element| lines.place(element.source.clone())),
    })
}

struct MorphologyWork {
    /// The most pixels of a region.
    pixels: f64,
    looked_at: f64,
}

impl MorphologyWork {
    /// The id around the group with which the limit is exceeded. Groups are nested no deeper than a drawing
    /// may be.
    fn exceeded_in(&mut self, group: &usvg::Group, key: &str) -> Option<String> {
        let (across, down) = group.abs_transform().get_scale();
        let (across, down) = (f64::from(across), f64::from(down));
        for filter in group.filters() {
            let rect = filter.rect();
            let (width, height) = (f64::from(rect.width()) * across, f64::from(rect.height()) * down);
            for primitive in filter.primitives() {
                if let usvg::filter::Kind::Morphology(step) = primitive.kind() {
                    let within = |radius: f32, scale: f64, side: f64| {
                        (2.0 * f64::from(radius) * scale + 1.0).min(side.max(1.0))
                    };
                    let columns = within(step.radius_x().get(), across, width);
                    let rows = within(step.radius_y().get(), down, height);
                    self.looked_at += (width * height).min(self.pixels) * columns * rows;
                }
            }
        }
        // Also a sum that is no number.
        if self.looked_at.is_nan() || self.looked_at > MAX_MORPHOLOGY {
            // A shape with a filter is in a group without an id.
            return Some(first_id(group).unwrap_or(key).to_owned());
        }
        for node in group.children() {
            let key = if node.id().is_empty() { key } else { node.id() };
            if let usvg::Node::Group(group) = node
                && let Some(found) = self.exceeded_in(group, key)
            {
                return Some(found);
            }
            let mut found = None;
            node.subroots(|root| {
                if found.is_none() {
                    found = self.exceeded_in(root, key);
                }
            });
            if found.is_some() {
                return found;
            }
        }
        None
    }
}

/// The first id in a group.
fn first_id(group: &usvg::Group) -> Option<&str> {
    group.children().iter().find_map(|node| match node {
        node if !node.id().is_empty() => Some(node.id()),
        usvg::Node::Group(group) => first_id(group),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check_body(body: &str) -> Result<(), SvgError> {
        let text = format!("<svg xmlns='http://www.w3.org/2000/svg'>\n<filter>{body}</filter></svg>");
        let doc = Document::parse(&text).unwrap();
        check(&doc, &text, &LineIndex::new(&text))
    }

    #[test]
    fn filters_that_never_end_are_refused_with_their_place() {
        for body in [
            "<feTurbulence baseFrequency='.1' numOctaves='99999999'/>",
            "<feTurbulence numOctaves='1e30'/>",
            "<feConvolveMatrix order='300'/>",
            "<feConvolveMatrix order='2,999999'/>",
        ] {
            let error = check_body(body).unwrap_err();
            assert_eq!(error.place().map(|place| place.line), Some(2), "{body}");
        }
    }

    #[test]
    fn filters_that_people_use_pass() {
        for body in [
            "<feTurbulence baseFrequency='.02' numOctaves='10'/>",
            "<feTurbulence/><feConvolveMatrix order='3' kernelMatrix='1 1 1 1 1 1 1 1 1'/>",
            "<feConvolveMatrix order='15 15'/><feConvolveMatrix/>",
            "<feMorphology radius='12.5'/><feMorphology radius='90000'/>",
        ] {
            assert!(check_body(body).is_ok(), "{body}");
        }
    }
}
