//! The rigs of the tests.

/// A drawing of an arm of three parts on a body.
pub(crate) const ARM_SVG: &str = r##"<svg xmlns="http://www.w3.org/2000/svg" width="400" height="300" viewBox="0 0 400 300">
<rect id="body" x="20" y="100" width="60" height="160" fill="#357"/>
<rect id="upper" x="80" y="110" width="100" height="30" fill="#c43"/>
<rect id="fore" x="180" y="112" width="90" height="26" fill="#d84"/>
<rect id="hand" x="270" y="110" width="40" height="30" fill="#eb8"/>
</svg>"##;

/// Its rig, written as people write: comments, spaces, trailing commas.
pub(crate) const ARM: &str = r#"// An arm.
Rig(
    version: 1,
    drawing: "arm.svg",
    bones: {
        "body":  (from: (50, 250), to: (50, 125)), // stands
        "upper": (parent: "body", from: (80, 125), to: (180, 125), limits: (-170, 170)),
        "fore":  (parent: "upper", length: 90),
        "hand":  (parent: "fore", length: 40, /* a short one */ ),
    },
    skin: [
        Rigid(art: "body", bone: "body"),
        Rigid(art: "upper", bone: "upper"),
        Rigid(art: "fore", bone: "fore"),
        Rigid(art: "hand", bone: "hand"),
    ],
    clips: {
        "wave": (
            length: 2,
            loop: true,
            bones: {
                "upper": (rotate: [(0, 0), (1, -30.5), (2, 0)]),
                "fore": (rotate: [(0, 10), (0.5, 20, Hold), (2, 10)]), // swings
            },
        ),
        "nod": (length: 1, bones: { "hand": (rotate: [(0, 0), (1, 20)]) }),
    },
)
"#;
