//! Whether a drawing that was read can be one: each node in one place, and no definition within itself.

use bone_archive::{Archive, ArchiveError, Kind, Reader, Writer};

use crate::drawing::Drawing;
use crate::error::DrawingError;
use crate::node::NodeKind;
use crate::node_id::NodeId;
use crate::paint::Paint;

/// A drawing without slots. All nodes, elements and definitions that are read after a drawing are those of it.
impl Archive for Drawing {
    fn write(&self, to: &mut Writer) {
        let counts = [
            self.nodes.len(),
            self.elements.list.len(),
            self.gradients.len(),
            self.patterns.len(),
            self.clips.len(),
            self.masks.len(),
            self.filters.len(),
        ];
        counts.write(to);
        (&self.nodes, &self.roots).write(to);
        (&self.gradients, &self.patterns).write(to);
        (&self.clips, &self.masks, &self.filters).write(to);
        (&*self.elements, &*self.node_of).write(to);
        let mut taken: Vec<&String> = self.taken.iter().collect();
        taken.sort_unstable();
        taken.write(to);
        (self.canvas_group, self.canvas, self.size).write(to);
        self.canvas_to_output.write(to);
    }

    fn read(from: &mut Reader<'_>) -> Result<Self, ArchiveError> {
        let counts: [usize; 7] = Archive::read(from)?;
        for (kind, count) in COUNTED.into_iter().zip(counts) {
            from.set_count(kind, count);
        }
        let mut drawing = Self::empty();
        (drawing.nodes, drawing.roots) = Archive::read(from)?;
        (drawing.gradients, drawing.patterns) = Archive::read(from)?;
        (drawing.clips, drawing.masks, drawing.filters) = Archive::read(from)?;
        drawing.elements = std::sync::Arc::new(Archive::read(from)?);
        drawing.node_of = std::sync::Arc::new(from.list()?);
        drawing.taken = std::sync::Arc::new(from.list()?.into_iter().collect());
        (drawing.canvas_group, drawing.canvas, drawing.size) = Archive::read(from)?;
        drawing.canvas_to_output = Archive::read(from)?;
        let read = [
            drawing.nodes.len(),
            drawing.elements.list.len(),
            drawing.gradients.len(),
            drawing.patterns.len(),
            drawing.clips.len(),
            drawing.masks.len(),
            drawing.filters.len(),
        ];
        from.check(read == counts && drawing.node_of.len() == counts[1], "drawing")?;
        from.check(drawing.nodes_are_a_tree(), "tree of nodes")?;
        from.check(drawing.check_size().is_ok(), "definition")?;
        Ok(drawing)
    }
}

/// The kinds of the counts at the start of a drawing.
const COUNTED: [Kind; 7] =
    [Kind::Node, Kind::Element, Kind::Gradient, Kind::Pattern, Kind::Clip, Kind::Mask, Kind::Filter];

impl Drawing {
    /// The nodes at the top of the picture and of each definition: gradients aside, by the number of the
    /// definition, patterns first.
    fn tops(&self) -> Vec<&[NodeId]> {
        let patterns = self.patterns.iter().map(|pattern| &pattern.children[..]);
        let clips = self.clips.iter().map(|clip| &clip.children[..]);
        let masks = self.masks.iter().map(|mask| &mask.children[..]);
        patterns.chain(clips).chain(masks).collect()
    }

    /// Whether each node is in one place at most, after its parent.
    fn nodes_are_a_tree(&self) -> bool {
        let mut places: Vec<Option<Option<NodeId>>> = vec![None; self.nodes.len()];
        let mut put = |node: NodeId, parent: Option<NodeId>| {
            let fits = parent.is_none_or(|parent| parent < node);
            fits && places[node.index()].replace(parent).is_none()
        };
        let roots = self.roots.iter().chain(self.tops().into_iter().flatten());
        let fits = roots.copied().all(|node| put(node, None))
            && (0..self.nodes.len()).map(NodeId::from_index).all(|parent| {
                self.nodes[parent.index()].children().iter().all(|child| put(*child, Some(parent)))
            });
        // What a filter shows is in no list.
        let in_place =
            places.iter().zip(&self.nodes).all(|(place, node)| place.unwrap_or(None) == node.parent);
        fits && in_place
    }

    /// That no definition is used within itself, and the drawing is neither nested deeper nor larger, with
    /// its definitions put where they are used, than a drawing may be.
    pub(crate) fn check_size(&self) -> Result<(), DrawingError> {
        let mut depths = vec![0_usize; self.nodes.len()];
        for (at, node) in self.nodes.iter().enumerate() {
            // Parents come first.
            depths[at] = 1 + node.parent.map_or(0, |parent| depths[parent.index()]);
        }
        let all = self.uses(&depths);
        // Those that nothing uses are taken away, until none is left (Kahn, 1962).
        let mut users = vec![0_usize; all.len()];
        all.iter().flat_map(|own| &own.uses).for_each(|(used, _)| users[*used] += 1);
        let mut free: Vec<usize> = (0..all.len()).filter(|index| users[*index] == 0).collect();
        let mut order = Vec::with_capacity(all.len());
        // How deep each is nested, by the use that is deepest.
        let mut around = vec![0_usize; all.len()];
        while let Some(index) = free.pop() {
            order.push(index);
            for (used, depth) in &all[index].uses {
                around[*used] = around[*used].max(around[index].saturating_add(*depth));
                users[*used] -= 1;
                if users[*used] == 0 {
                    free.push(*used);
                }
            }
        }
        let mut sizes = vec![0_usize; all.len()];
        for &index in order.iter().rev() {
            let within = all[index].uses.iter().map(|(used, _)| sizes[*used]);
            sizes[index] = within.fold(all[index].nodes, usize::saturating_add);
        }
        let is_deep = |index: &usize| around[*index].saturating_add(all[*index].depth) > MAX_DEPTH;
        if order.len() < all.len() || order.iter().any(is_deep) {
            return Err(DrawingError::TooDeep);
        }
        if sizes.iter().any(|size| *size > MAX_NODES) { Err(DrawingError::TooLarge) } else { Ok(()) }
    }

    /// What each definition uses, and the picture at last.
    fn uses(&self, depths: &[usize]) -> Vec<DefinitionUses> {
        let (patterns, clips, masks) = (self.patterns.len(), self.clips.len(), self.masks.len());
        let clip = |index: usize| patterns + index;
        let mask = |index: usize| patterns + clips + index;
        let filter = |index: usize| patterns + clips + masks + index;
        let images = self.filters.iter().map(|filter| filter.steps.iter().filter_map(|step| step.image));
        let contents = self.tops().into_iter().map(<[NodeId]>::to_vec).chain(images.map(Iterator::collect));
        let mut all: Vec<DefinitionUses> = contents
            .chain([self.roots.clone()])
            .map(|mut next| {
                let mut own = DefinitionUses::default();
                while let Some(node) = next.pop() {
                    let depth = depths[node.index()];
                    own.nodes += 1;
                    own.depth = own.depth.max(depth);
                    let mut add = |used: usize| own.uses.push((used, depth));
                    match &self.nodes[node.index()].kind {
                        NodeKind::Group(group) => {
                            group.clip.into_iter().for_each(|id| add(clip(id.index())));
                            group.mask.into_iter().for_each(|id| add(mask(id.index())));
                            group.filters.iter().for_each(|id| add(filter(id.index())));
                            next.extend(&group.children);
                        }
                        NodeKind::Shape(shape) => {
                            let fill = shape.fill.iter().map(|fill| fill.paint);
                            for paint in fill.chain(shape.stroke.iter().map(|stroke| stroke.paint)) {
                                if let Paint::Pattern(id) = paint {
                                    add(id.index());
                                }
                            }
                        }
                        NodeKind::Image(_) => {}
                    }
                }
                own
            })
            .collect();
        for (index, own) in self.clips.iter().enumerate() {
            all[clip(index)].uses.extend(own.clip.map(|id| (clip(id.index()), 1)));
        }
        for (index, own) in self.masks.iter().enumerate() {
            all[mask(index)].uses.extend(own.mask.map(|id| (mask(id.index()), 1)));
        }
        all
    }
}

/// The nodes of a definition, and the definitions that they use.
#[derive(Debug, Default)]
struct DefinitionUses {
    nodes: usize,
    /// How deep its nodes are nested in it.
    depth: usize,
    /// Each with the depth at which it is used.
    uses: Vec<(usize, usize)>,
}

/// How deep groups and definitions may be nested. A reader of SVG nests 96 elements, each of a few groups.
const MAX_DEPTH: usize = 1_000;
/// How many nodes a drawing may have with its definitions where they are used.
const MAX_NODES: usize = 8_000_000;
