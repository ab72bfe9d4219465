//! What a program sets of the drawing: colours, pictures, words, and what is left out.

use std::sync::Arc;

use bone_drawing::{ArtProperty, Drawing, ElementId, ImageData, PaintPart, Repaints};
use bone_rig::{Choice, Overrides, Rig};

use crate::error::PlayerError;
use crate::input::replace;

/// Changes of nodes that paint, boxes and hit tests read.
#[derive(Clone, Debug, Default)]
pub(crate) struct NodeSets {
    repaints: Option<Arc<Repaints>>,
}

impl NodeSets {
    /// None where nothing is set.
    pub(crate) fn repaints(&self) -> Option<&Arc<Repaints>> {
        self.repaints.as_ref()
    }

    /// Sets something of an element.
    fn change(
        &mut self,
        rig: &Rig,
        element: ElementId,
        change: impl FnOnce(&mut Repaints, &Drawing) -> bool,
    ) -> Result<(), PlayerError> {
        if rig.art().element(element).is_none() {
            return Err(PlayerError::OtherCharacter);
        }
        let mut repaints = self.repaints.clone().unwrap_or_default();
        if !change(Arc::make_mut(&mut repaints), rig.posable().drawing()) {
            return Err(PlayerError::NotKept { element });
        }
        self.repaints = Some(repaints).filter(|repaints| !repaints.is_empty());
        Ok(())
    }

    pub(crate) fn color(
        &mut self,
        rig: &Rig,
        element: ElementId,
        part: PaintPart,
        color: Option<[f32; 4]>,
    ) -> Result<(), PlayerError> {
        if color.into_iter().flatten().any(|level| !level.is_finite()) {
            return Err(PlayerError::Number { what: "colour" });
        }
        let color = color.map(|[red, green, blue, alpha]| {
            // The conversion saturates.
            let level = |level: f32| (f64::from(level) * 255.0).round() as u8;
            ([level(red), level(green), level(blue)], f64::from(alpha).clamp(0.0, 1.0))
        });
        self.change(rig, element, |repaints, drawing| repaints.set_color(drawing, element, part, color))
    }

    pub(crate) fn image(
        &mut self,
        rig: &Rig,
        element: ElementId,
        image: Option<&ImageData>,
    ) -> Result<(), PlayerError> {
        self.change(rig, element, |repaints, drawing| repaints.set_image(drawing, element, image))
    }

    /// True if the overrides have changed.
    pub(crate) fn visible(
        &mut self,
        rig: &Rig,
        element: ElementId,
        on: Option<bool>,
        overrides: &mut Overrides,
    ) -> Result<bool, PlayerError> {
        let hidden = on == Some(false);
        self.change(rig, element, |repaints, drawing| repaints.set_hidden(drawing, element, hidden))?;
        let has_row = rig.draw_order().index(element).is_some();
        let shown = (on == Some(true) && has_row).then(|| 1.0.into());
        Ok(replace(&mut overrides.art, (element, ArtProperty::Visible), shown))
    }
}

/// Sets the words of a text that the rig has. True if the overrides have changed.
pub(crate) fn set_text(
    rig: &Rig,
    element: ElementId,
    text: Option<&str>,
    overrides: &mut Overrides,
) -> Result<bool, PlayerError> {
    let drawing = rig.art();
    let own = drawing.element(element).ok_or(PlayerError::OtherCharacter)?;
    let own = own.words.as_deref().ok_or(PlayerError::NotText)?;
    let order = rig.draw_order();
    let switch = order.switch(element).and_then(|switch| order.switches.get(switch));
    let choice = match text {
        None => None,
        Some(text) => {
            let has = |child: &usize| {
                let child = order.elements.get(*child).and_then(|child| drawing.element(*child));
                child.is_some_and(|child| child.words.as_deref() == Some(text))
            };
            let child = switch.and_then(|switch| switch.children.iter().position(has));
            match child {
                Some(child) => Some(Choice::Child(child)),
                None if own == text => None,
                None => return Err(PlayerError::NotKept { element }),
            }
        }
    };
    Ok(replace(&mut overrides.art, (element, ArtProperty::Text), choice.map(|choice| choice.value().into())))
}
