//! One palette for all frames: boxes of colours are divided where they vary most (Heckbert's median cut with
//! Wu's choice of the box by its variance), then moved to the least error (Lloyd's iteration, weighted with
//! the number of pixels).

/// With more different colours, those whose upper bits are equal are counted as one while the palette is
/// looked for.
const MOST_DISTINCT: usize = 1 << 16;
/// Iterations at most; each lessens the error, and the last ones hardly.
const ITERATIONS: usize = 24;

/// A colour and how many pixels have it.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Weighted<const N: usize> {
    colour: [u8; N],
    /// Pixels; as a float, because sums of all pixels of a long clip are large.
    weight: f64,
}

/// Colours by index, also as columns: the search for the nearest compares many at a time.
#[derive(Clone, Debug)]
pub(crate) struct Palette<const N: usize> {
    colours: Vec<[u8; N]>,
    columns: [Vec<f32>; N],
}

impl<const N: usize> Palette<N> {
    pub(crate) fn new(colours: Vec<[u8; N]>) -> Self {
        let column = |channel: usize| colours.iter().map(|colour| f32::from(colour[channel])).collect();
        let columns = std::array::from_fn(column);
        Self { colours, columns }
    }

    /// At most `most` colours that stand for those counted. Colours of large areas are exact.
    pub(crate) fn find(counts: impl Iterator<Item = ([u8; N], u32)>, most: usize) -> Self {
        let mut exact: Vec<Weighted<N>> = counts
            .filter(|(_, count)| *count > 0)
            .map(|(colour, count)| Weighted { colour, weight: f64::from(count) })
            .collect();
        if exact.len() <= most {
            return Self::new(exact.into_iter().map(|weighted| weighted.colour).collect());
        }
        let mut bits = 8;
        while exact.len() > MOST_DISTINCT && bits > 4 {
            bits -= 1;
            exact = merged(&exact, bits);
        }
        let mut palette = Self::new(divided(&mut exact, most));
        let mut last_error = f64::INFINITY;
        for _ in 0..ITERATIONS {
            let (moved, error) = palette.moved(&exact);
            // What rounding makes of a palette may be worse than the palette.
            if error >= last_error * 0.999 {
                break;
            }
            last_error = error;
            palette = Self::new(moved);
        }
        palette
    }

    pub(crate) fn colours(&self) -> &[[u8; N]] {
        &self.colours
    }

    /// The index of the nearest colour, the first of equally near ones, and the square of the distance.
    pub(crate) fn nearest(&self, colour: [u8; N]) -> (usize, f32) {
        const LANES: usize = 8;
        let wanted = colour.map(f32::from);
        let mut best = (0, f32::INFINITY);
        let mut from = 0;
        // All numbers are whole and below 2^24: exact in f32.
        while from < self.colours.len() {
            let to = (from + LANES).min(self.colours.len());
            let mut distances = [0.0_f32; LANES];
            for (column, wanted) in self.columns.iter().zip(wanted) {
                for (distance, channel) in distances.iter_mut().zip(&column[from..to]) {
                    *distance += (channel - wanted) * (channel - wanted);
                }
            }
            distances[to - from..].fill(f32::INFINITY);
            let least = distances.iter().copied().fold(f32::INFINITY, f32::min);
            if least < best.1 {
                let place = distances.iter().position(|distance| *distance == least).unwrap_or(0);
                best = (from + place, least);
            }
            from = to;
        }
        best
    }

    /// Each colour moved to the mean of those that it is nearest to, and the error before.
    fn moved(&self, exact: &[Weighted<N>]) -> (Vec<[u8; N]>, f64) {
        #[derive(Clone, Copy)]
        struct Cluster<const N: usize> {
            weight: f64,
            sums: [f64; N],
            heaviest: f64,
            heaviest_colour: [u8; N],
        }
        let none = Cluster { weight: 0.0, sums: [0.0; N], heaviest: 0.0, heaviest_colour: [0; N] };
        let mut clusters = vec![none; self.colours.len()];
        let (mut error, mut worst) = (0.0, Vec::new());
        for Weighted { colour, weight } in exact {
            let (index, distance) = self.nearest(*colour);
            error += f64::from(distance) * weight;
            worst.push((f64::from(distance) * weight, *colour));
            let cluster = &mut clusters[index];
            cluster.weight += weight;
            for (sum, channel) in cluster.sums.iter_mut().zip(colour) {
                *sum += f64::from(*channel) * weight;
            }
            if *weight > cluster.heaviest {
                cluster.heaviest = *weight;
                cluster.heaviest_colour = *colour;
            }
        }
        // Colours that no pixel is nearest to go where the error is largest.
        let empty = clusters.iter().filter(|cluster| cluster.weight == 0.0).count();
        if empty > 0 {
            worst.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        }
        let mut worst = worst.into_iter();
        let moved = clusters.iter().map(|cluster| {
            if cluster.weight == 0.0 {
                return worst.next().map_or([0; N], |(_, colour)| colour);
            }
            // A flat area keeps its colour to the level.
            if cluster.heaviest * 2.0 > cluster.weight {
                return cluster.heaviest_colour;
            }
            cluster.sums.map(|sum| rounded(sum / cluster.weight))
        });
        (moved.collect(), error)
    }
}

fn rounded(channel: f64) -> u8 {
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a mean of bytes")]
    let byte = (channel + 0.5) as u8;
    byte
}

/// Colours whose upper bits are equal, as one: their mean.
fn merged<const N: usize>(exact: &[Weighted<N>], bits: u32) -> Vec<Weighted<N>> {
    let key = |colour: [u8; N]| colour.map(|channel| channel >> (8 - bits));
    let mut sorted = exact.to_vec();
    sorted.sort_by_key(|weighted| (key(weighted.colour), weighted.colour));
    sorted
        .chunk_by(|a, b| key(a.colour) == key(b.colour))
        .map(|cell| {
            let weight: f64 = cell.iter().map(|weighted| weighted.weight).sum();
            let heaviest = cell.iter().fold(cell[0], |a, b| if b.weight > a.weight { *b } else { a });
            let colour = if heaviest.weight * 2.0 > weight {
                heaviest.colour
            } else {
                std::array::from_fn(|channel| {
                    let sum: f64 = cell.iter().map(|w| f64::from(w.colour[channel]) * w.weight).sum();
                    rounded(sum / weight)
                })
            };
            Weighted { colour, weight }
        })
        .collect()
}

/// The means of boxes of colours: the box with the largest error is divided until there are enough.
fn divided<const N: usize>(exact: &mut [Weighted<N>], most: usize) -> Vec<[u8; N]> {
    /// A part of the colours, and what is gained where it is divided.
    struct ColourBox<const N: usize> {
        start: usize,
        end: usize,
        error: f64,
        channel: usize,
        mean: [f64; N],
    }
    let measured = |part: &[Weighted<N>], start: usize| {
        let weight: f64 = part.iter().map(|weighted| weighted.weight).sum();
        let mean: [f64; N] = std::array::from_fn(|channel| {
            part.iter().map(|w| f64::from(w.colour[channel]) * w.weight).sum::<f64>() / weight
        });
        let variances: [f64; N] = std::array::from_fn(|channel: usize| {
            let square = |w: &Weighted<N>| {
                let off = f64::from(w.colour[channel]) - mean[channel];
                off * off * w.weight
            };
            part.iter().map(square).sum::<f64>()
        });
        let channel = (0..N).fold(0, |best, k| if variances[k] > variances[best] { k } else { best });
        ColourBox { start, end: start + part.len(), error: variances.iter().sum(), channel, mean }
    };
    let mut boxes = vec![measured(exact, 0)];
    while boxes.len() < most {
        let divisible = (0..boxes.len()).filter(|k| boxes[*k].end - boxes[*k].start > 1);
        let worst = divisible.reduce(|best, k| if boxes[k].error > boxes[best].error { k } else { best });
        let Some(worst) = worst else { break };
        let ColourBox { start, end, channel, mean, .. } = boxes[worst];
        let part = &mut exact[start..end];
        part.sort_by_key(|weighted| (weighted.colour[channel], weighted.colour));
        // At the mean of the channel that varies most; both sides have a colour.
        let middle = part.partition_point(|w| f64::from(w.colour[channel]) <= mean[channel]);
        let middle = middle.clamp(1, part.len() - 1);
        let (left, right) = part.split_at(middle);
        let (left, right) = (measured(left, start), measured(right, start + middle));
        boxes[worst] = left;
        boxes.push(right);
    }
    boxes.iter().map(|part| part.mean.map(rounded)).collect()
}
