//! Writes values into bytes.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::Archive;

/// The bytes of an archive so far.
#[derive(Debug, Default)]
pub struct Writer {
    bytes: Vec<u8>,
    /// The number of each shared value, by its address. Addresses are never written.
    shared: BTreeMap<usize, u64>,
}

impl Writer {
    /// Without bytes.
    pub fn new() -> Self {
        Self::default()
    }

    /// The bytes.
    pub fn finish(self) -> Vec<u8> {
        self.bytes
    }

    /// Writes one byte.
    pub fn byte(&mut self, byte: u8) {
        self.bytes.push(byte);
    }

    /// Writes bytes without their count.
    pub fn bytes(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    /// Writes a whole number: seven bits a byte, the lowest first; the eighth bit is set if more follow.
    pub fn number(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.bytes.push(number as u8 | 0x80);
            number >>= 7;
        }
        self.bytes.push(number as u8);
    }

    /// Writes a limit, which may be infinite.
    pub fn limit(&mut self, limit: f64) {
        self.bytes(&limit.to_le_bytes());
    }

    /// Writes the count of a list, and its values.
    pub fn list<T: Archive>(&mut self, list: &[T]) {
        self.number(list.len() as u64);
        list.iter().for_each(|value| value.write(self));
    }

    /// Writes whole numbers without their count, as steps from one to the next; zeros as the length of their run.
    pub fn steps(&mut self, numbers: impl IntoIterator<Item = i64>) {
        let (mut last, mut still) = (0, 0);
        for number in numbers {
            if number == last {
                still += 1;
                continue;
            }
            self.still(&mut still);
            self.number(zigzag(number.wrapping_sub(last)));
            last = number;
        }
        self.still(&mut still);
    }

    /// Writes a run of numbers that are equal to the one before.
    fn still(&mut self, count: &mut u64) {
        if *count > 0 {
            self.byte(0);
            self.number(std::mem::take(count) - 1);
        }
    }

    /// Writes a value that is shared: in full the first time, then as its number.
    pub fn shared<T: ?Sized>(&mut self, value: &Arc<T>, write: impl FnOnce(&T, &mut Self)) {
        let address = Arc::as_ptr(value).cast::<()>() as usize;
        if let Some(number) = self.shared.get(&address) {
            let number = number + 1;
            return self.number(number);
        }
        self.number(0);
        write(value, self);
        // After what is in it, as a reader has it.
        let number = self.shared.len() as u64;
        self.shared.insert(address, number);
    }
}

/// A whole number whose lowest bit is the sign.
pub(crate) const fn zigzag(number: i64) -> u64 {
    ((number << 1) ^ (number >> 63)) as u64
}
