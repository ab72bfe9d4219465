//! Random numbers that are the same everywhere: xorshift64 (Marsaglia, "Xorshift RNGs", 2003).

pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    /// In [0, 1).
    pub(crate) fn share(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }

    pub(crate) fn between(&mut self, from: f64, to: f64) -> f64 {
        from + (to - from) * self.share()
    }

    pub(crate) fn below(&mut self, count: usize) -> usize {
        (self.share() * count as f64) as usize
    }
}
