//! Filters that would take hours: a few digits can ask for that much work. They are errors by their
//! parameters, whatever they show.

use roxmltree::{Document, Node};

use super::limits::{MAX_KERNEL, MAX_OCTAVES, MAX_RADIUS};
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
        "feMorphology" if numbers("radius").iter().any(|radius| *radius > MAX_RADIUS) => {
            Some(format!("a morphology filter has a radius of more than {MAX_RADIUS}"))
        }
        _ => None,
    }
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
            "<feMorphology operator='dilate' radius='1 400'/>",
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
            "<feMorphology radius='12.5'/><feMorphology/>",
        ] {
            assert!(check_body(body).is_ok(), "{body}");
        }
    }
}
