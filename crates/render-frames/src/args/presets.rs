//! The arguments of `presets`, and the names of `--for`.

use bone_export::{DELIVERIES, DeliveryTarget};

/// List what `--for` makes: stickers and emojis, with the limits of the services that take them.
#[derive(Debug, clap::Args)]
#[command(after_help = PRESETS_EXAMPLES)]
pub(crate) struct PresetsArgs {
    /// Print the list as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

const PRESETS_EXAMPLES: &str = "\
Examples:
  render-frames presets                           a table of all
  render-frames presets --json                    for programs
  render-frames rig.ron -o walk.webp --for whatsapp
  render-frames rig.ron -o '{clip}.gif' --clip all --for slack

Rates, colours and qualities are tried until a file is within its bytes; it is an error if none is.";

/// The target of a name.
pub(super) fn target(name: &str) -> Result<&'static DeliveryTarget, String> {
    DeliveryTarget::find(name).ok_or_else(|| {
        let names = || DELIVERIES.iter().map(|target| target.name);
        let near = bone_format::diagnostic::nearest(name, names());
        let near = near.map(|near| format!("did you mean {near}? ")).unwrap_or_default();
        format!("{near}known are {}", names().collect::<Vec<_>>().join(", "))
    })
}
