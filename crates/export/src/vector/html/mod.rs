//! A clip as one page for browsers, which works from a disk: an animated SVG with a button, a slider and keys. The
//! page may run its own script alone and load nothing. Where people prefer reduced motion, it does not begin to play.

use bone_render::escape_xml;

use super::{SampledClip, VectorError, VectorOptions, VectorReport, animated_svg};

const SCRIPT: &str = include_str!("player.js");
const STYLE: &str = include_str!("page.css");
/// The SHA-256 of the script, in base64: `openssl dgst -sha256 -binary player.js | base64`. A browser runs a script
/// with this hash only. Styles have none, because those of drawings are attributes.
const SCRIPT_HASH: &str = "BvI7BRb6cr05w3N8QrXohBFKPWVAta6+1wozKWxLvs4=";

/// Writes a clip as a page.
///
/// # Errors
/// As [`animated_svg`].
pub fn html_page(clip: &SampledClip, options: &VectorOptions) -> Result<(String, VectorReport), VectorError> {
    let (svg, report) = animated_svg(clip, options)?;
    let frames = if clip.looping { clip.count } else { clip.count - 1 };
    let (seconds, fps, endless) = (frames as f64 / clip.fps, clip.fps, clip.looping);
    let mut name = String::new();
    escape_xml(&clip.name, &mut name);
    let name = name.replace('"', "&quot;");
    let (controls, script) = match frames {
        0 => (String::new(), String::new()),
        _ => (
            format!(
                "<form aria-label=\"Player\">\n<button type=\"button\" aria-keyshortcuts=\"Space\">Play</button>\n\
                 <input type=\"range\" min=\"0\" max=\"{seconds}\" step=\"any\" value=\"0\" \
                 aria-label=\"Time in seconds\">\n<output></output>\n</form>\n"
            ),
            format!("<script>{SCRIPT}</script>\n"),
        ),
    };
    let page = format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; \
         script-src 'sha256-{SCRIPT_HASH}'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; \
         form-action 'none'\">\n\
         <meta name=\"viewport\" content=\"width=device-width\">\n<title>{name}</title>\n\
         <style>\n{STYLE}</style>\n</head>\n\
         <body data-seconds=\"{seconds}\" data-fps=\"{fps}\" data-endless=\"{endless}\">\n\
         <main role=\"img\" aria-label=\"{name}\">\n{svg}</main>\n{controls}{script}</body>\n</html>\n"
    );
    Ok((page, report))
}
