//! The values of art that a clip can key: the table of art's properties.

use bone_archive::{Join, ValueKind, properties};

properties! {
    /// A value of art that a clip can key.
    pub enum ArtProperty {
        /// Whether it is drawn, with its contents.
        Visible = 0, "visible" {
            kind: ValueKind::Flag, value: "true", keys: "[(0, false), (0.5, true)]", unkeyed: "as drawn",
            drive: Join::All, also: &["hidden", "visibility", "show", "hide"],
        }
        /// Multiplies its own opacity; of a group or an outlined path as one picture, like `opacity` in SVG.
        Opacity = 1, "opacity" {
            kind: ValueKind::Opacity, value: "0.5", keys: "[(0.5, 1), (1, 0.2)]", unkeyed: "as drawn", rest: 1.0,
            drive: Join::Product, also: &["alpha", "transparency"],
        }
        /// Its place in the draw order: a higher one is drawn later, in front; equal ones keep the order of the
        /// drawing. Those of the groups around it are added: see [Order](#order).
        Order = 2, "order" {
            kind: ValueKind::Step, value: "1", keys: "[(0, -1), (0.5, 1)]", unkeyed: "0",
            drive: Join::Sum, also: &["zindex", "z_index", "z-index", "z", "depth", "layer"],
        }
        /// Of a group: only this child is drawn, or none. A child is named by its id, label, number (`"#2"`) or
        /// address; only art directly in the group is a child.
        Switch = 3, "switch" {
            kind: ValueKind::Child, value: "\"open\"", keys: "[(0, \"open\"), (0.4, None)]", unkeyed: "as drawn",
            drive: Join::Last, also: &["sprite", "frame", "attachment"],
        }
        /// Of a path with a stroke: its width, in the path's units; 0 draws none.
        StrokeWidth = 4, "stroke_width" {
            kind: ValueKind::Width, value: "2", keys: "[(0, 2), (1, 5)]", unkeyed: "as drawn",
            drive: Join::Last, also: &["line_width", "linewidth", "stroke-width"],
        }
        /// Of a path with a dashed stroke: where its dashes begin, in the path's units.
        DashOffset = 5, "dash_offset" {
            kind: ValueKind::Phase, value: "12", keys: "[(0, 0), (1, 24, Linear)]", unkeyed: "as drawn",
            drive: Join::Sum, also: &["dashoffset", "stroke-dashoffset", "dash_phase"],
        }
        /// Of a path that is filled with one colour: this colour. A group has none of its own.
        Fill = 6, "fill" {
            kind: ValueKind::Color, value: "\"#2a6\"", keys: "[(0, \"#2a6\"), (0.3, \"tomato\")]", unkeyed: "as drawn",
            drive: Join::Last, also: &["fill_color", "fillcolor", "color", "colour"],
        }
        /// Of a filled path: how solid its fill is, apart from its stroke.
        FillOpacity = 7, "fill_opacity" {
            kind: ValueKind::Opacity, value: "0.5", keys: "[(0, 1), (1, 0.2)]", unkeyed: "as drawn",
            drive: Join::Last, also: &["fill-opacity", "fill_alpha"],
        }
        /// Of a path whose stroke has one colour: this colour.
        Stroke = 8, "stroke" {
            kind: ValueKind::Color, value: "\"#420\"", keys: "[(0, \"black\"), (1, \"#420\")]", unkeyed: "as drawn",
            drive: Join::Last, also: &["stroke_color", "strokecolor", "line_color"],
        }
        /// Of a path with a stroke: how solid its stroke is.
        StrokeOpacity = 9, "stroke_opacity" {
            kind: ValueKind::Opacity, value: "0.5", keys: "[(0, 1), (1, 0.2)]", unkeyed: "as drawn",
            drive: Join::Last, also: &["stroke-opacity", "stroke_alpha"],
        }
        /// Of a path with a stroke: where the stroke starts, as a share of the length at rest of each subpath. Where it
        /// ends before it starts, both are swapped. See [Trim](#trim).
        TrimStart = 10, "trim_start" {
            kind: ValueKind::Share, value: "0.25", keys: "[(0, 0), (1, 1)]", unkeyed: "0",
            drive: Join::Last, also: &["trim_from", "draw_start", "path_start"],
        }
        /// Of a path with a stroke: where the stroke ends, as a share of the length at rest of each subpath. See
        /// [Trim](#trim).
        TrimEnd = 11, "trim_end" {
            kind: ValueKind::Share, value: "0.5", keys: "[(0, 0), (1, 1)]", unkeyed: "1", rest: 1.0,
            drive: Join::Last, also: &["trim", "trim_to", "draw_end", "path_end", "progress"],
        }
        /// Of a path with a stroke: how far its trimmed stroke is moved along the path; 1 is once around. See
        /// [Trim](#trim).
        TrimOffset = 12, "trim_offset" {
            kind: ValueKind::Rounds, value: "0.25", keys: "[(0, 0), (2, 1, Linear)]", unkeyed: "0",
            drive: Join::Sum, also: &["path_offset"],
        }
        /// What white becomes, in its art and in all art within it: see [Tint](#tint).
        Tint = 13, "tint" {
            kind: ValueKind::Color, value: "\"#f88\"", keys: "[(0, \"white\"), (0.1, \"#f88\")]", unkeyed: "white", rest: 255.0,
            drive: Join::Last, also: &["multiply", "tint_color", "tintcolor", "colorize", "modulate"],
        }
        /// What black becomes, in its art and in all art within it: see [Tint](#tint).
        Shade = 14, "shade" {
            kind: ValueKind::Color, value: "\"#400\"", keys: "[(0, \"black\"), (0.1, \"#400\")]", unkeyed: "black",
            drive: Join::Last, also: &["dark_tint", "dark", "dark_color", "shade_color"],
        }
        /// Of a text: its words. Empty draws none: see [Text](#text).
        Text = 15, "text" {
            kind: ValueKind::Text, value: "\"GO\"", keys: "[(0, \"3\"), (0.3, \"2\"), (0.6, \"1\")]", unkeyed: "as drawn",
            drive: Join::Last, also: &["string", "words", "content"],
        }
        /// Of a path: the art whose shape it takes, or weights of several, from -2 to 2 each; its own name is its own
        /// shape. See [Shapes](#shapes).
        Shape = 16, "shape" {
            kind: ValueKind::Shape, value: "\"mouth_smile\"", keys: "[(0, \"mouth\"), (0.4, {\"mouth_smile\": 0.5})]",
            unkeyed: "as drawn", drive: Join::Sum, also: &["shape_key", "shape_keys", "morph", "blend_shape", "d", "path"],
        }
    }
}

properties! {
    /// A value of the ends of a gradient that a clip can key.
    pub enum GradientProperty {
        /// Of a linear gradient: where it starts, in its own units: see [Gradients](#gradients).
        From = 0, "from" {
            kind: ValueKind::Place, value: "(0, 0)", keys: "[(0, (0, 0)), (1, (0, 40))]", unkeyed: "as drawn",
            also: &["start", "start_point", "begin"],
        }
        /// Of a linear gradient: where it ends.
        To = 1, "to" {
            kind: ValueKind::Place, value: "(0, 90)", keys: "[(0, (0, 90)), (1, (0, 60))]", unkeyed: "as drawn",
            also: &["end", "end_point"],
        }
        /// Of a radial gradient: the middle of its circle. A focus that is drawn there moves with it.
        Center = 2, "center" {
            kind: ValueKind::Place, value: "(40, 40)", keys: "[(0, (40, 40)), (1, (60, 40))]", unkeyed: "as drawn",
            also: &["centre", "middle", "origin"],
        }
        /// Of a radial gradient: the radius of its circle.
        Radius = 3, "radius" {
            kind: ValueKind::Width, value: "20", keys: "[(0, 20), (1, 35)]", unkeyed: "as drawn",
            also: &["r", "size"],
        }
        /// Of a radial gradient: the point from which its colours spread.
        Focus = 4, "focus" {
            kind: ValueKind::Place, value: "(36, 36)", keys: "[(0, (36, 36)), (1, (44, 36))]", unkeyed: "as drawn",
            also: &["focal_point", "highlight"],
        }
    }
}

properties! {
    /// A value of a stop of a gradient that a clip can key.
    pub enum StopProperty {
        /// Its colour.
        Color = 0, "colors" { kind: ValueKind::Color, value: "\"#08f\"", unkeyed: "as drawn" }
        /// How solid it is.
        Opacity = 1, "opacities" { kind: ValueKind::Opacity, value: "0.5", unkeyed: "as drawn" }
        /// Where it is along the gradient.
        Offset = 2, "offsets" { kind: ValueKind::Share, value: "0.4", unkeyed: "as drawn" }
    }
}

properties! {
    /// A value of the ink of a path that a clip can key.
    pub enum InkProperty {
        /// How wide it is at a place: a width, or how far it reaches to the left and to the right.
        Width = 0, "width" {
            kind: ValueKind::Spread, value: "6", keys: "[(0, 6), (1, 9)]", unkeyed: "as in `ink`",
            drive: Join::Last,
        }
    }
}

properties! {
    /// A value of a step of a filter that a clip can key.
    pub enum FilterProperty {
        /// Of `feGaussianBlur` and `feDropShadow`: how far they blur, across and down; one number stands for both.
        Blur = 0, "blur" {
            kind: ValueKind::Spread, value: "3", keys: "[(0, 0), (1, (6, 2))]", unkeyed: "as drawn",
            also: &["std_deviation", "stdDeviation", "radius", "sigma"],
        }
        /// Of `feOffset` and `feDropShadow`: how far they move.
        Offset = 1, "offset" {
            kind: ValueKind::Place, value: "(2, 4)", keys: "[(0, (0, 0)), (1, (2, 4))]", unkeyed: "as drawn",
            also: &["shift", "distance", "dx", "dy"],
        }
        /// Of `feFlood` and `feDropShadow`: their colour.
        Flood = 2, "flood" {
            kind: ValueKind::Color, value: "\"gold\"", keys: "[(0, \"gold\"), (1, \"#f40\")]", unkeyed: "as drawn",
            also: &["flood_color", "flood-color", "color", "colour"],
        }
        /// Of `feFlood` and `feDropShadow`: how solid that is.
        FloodOpacity = 3, "flood_opacity" {
            kind: ValueKind::Opacity, value: "0.5", keys: "[(0, 0), (1, 0.8)]", unkeyed: "as drawn",
            also: &["flood-opacity", "opacity", "alpha"],
        }
        /// Of `feColorMatrix` of the type `saturate`: 0 is grey, 1 is as without it.
        Saturate = 4, "saturate" {
            kind: ValueKind::Share, value: "0.3", keys: "[(0, 1), (1, 0)]", unkeyed: "as drawn",
            also: &["saturation"],
        }
        /// Of `feColorMatrix` of the type `hueRotate`: by how many degrees it turns hues.
        HueRotate = 5, "hue_rotate" {
            kind: ValueKind::Degrees, value: "90", keys: "[(0, 0), (1, 360)]", unkeyed: "as drawn",
            also: &["hue", "hue-rotate", "hueRotate"],
        }
    }
}
