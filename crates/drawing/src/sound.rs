//! Whether a drawing that was read can be one: each node in one place, and no definition within itself.

use archive::{Archive, ArchiveError, Kind, Reader, Writer};

use crate::drawing::Drawing;
use crate::node::{NodeId, NodeKind};
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
        from.check(drawing.definitions_end(), "definition")?;
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

    /// Whether no definition is used within itself.
    fn definitions_end(&self) -> bool {
        let (patterns, clips, masks) = (self.patterns.len(), self.clips.len(), self.masks.len());
        let clip = |index: usize| patterns + index;
        let mask = |index: usize| patterns + clips + index;
        let filter = |index: usize| patterns + clips + masks + index;
        let count = filter(self.filters.len());
        let mut uses: Vec<Vec<usize>> = vec![Vec::new(); count];
        let images = self.filters.iter().map(|filter| filter.steps.iter().filter_map(|step| step.image));
        let contents = self.tops().into_iter().map(<[NodeId]>::to_vec).chain(images.map(Iterator::collect));
        for (uses, content) in uses.iter_mut().zip(contents) {
            let mut next = content;
            while let Some(node) = next.pop() {
                match &self.nodes[node.index()].kind {
                    NodeKind::Group(group) => {
                        uses.extend(group.clip.map(|id| clip(id.index())));
                        uses.extend(group.mask.map(|id| mask(id.index())));
                        uses.extend(group.filters.iter().map(|id| filter(id.index())));
                        next.extend(&group.children);
                    }
                    NodeKind::Shape(shape) => {
                        let fill = shape.fill.iter().map(|fill| fill.paint);
                        let paints = fill.chain(shape.stroke.iter().map(|stroke| stroke.paint));
                        uses.extend(paints.filter_map(|paint| match paint {
                            Paint::Pattern(id) => Some(id.index()),
                            Paint::Color(_) | Paint::Gradient(_) => None,
                        }));
                    }
                    NodeKind::Image(_) => {}
                }
            }
        }
        for (index, own) in self.clips.iter().enumerate() {
            uses[clip(index)].extend(own.clip.map(|id| clip(id.index())));
        }
        for (index, own) in self.masks.iter().enumerate() {
            uses[mask(index)].extend(own.mask.map(|id| mask(id.index())));
        }
        // Those that nothing uses are taken away, until none is left (Kahn, 1962).
        let mut users = vec![0_usize; count];
        uses.iter().flatten().for_each(|used| users[*used] += 1);
        let mut free: Vec<usize> = (0..count).filter(|index| users[*index] == 0).collect();
        let mut ended = 0;
        while let Some(index) = free.pop() {
            ended += 1;
            for used in &uses[index] {
                users[*used] -= 1;
                if users[*used] == 0 {
                    free.push(*used);
                }
            }
        }
        ended == count
    }
}
