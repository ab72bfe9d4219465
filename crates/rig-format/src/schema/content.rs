//! The content of parts of a document as words, without the places in the text: two parts with the same words
//! compile to the same, wherever they are written.

use kurbo::{Point, Vec2};

use crate::span::{SourceId, Span, Spanned};

/// The words of something. Numbers are their bits; what can be absent or has a length begins with that, so that
/// different contents never have the same words.
pub(crate) trait Content {
    fn write(&self, words: &mut Vec<u64>);

    /// Calls a function for each place in it.
    fn places(&mut self, _see: &mut dyn FnMut(&mut Span)) {}
}

/// The words of some content.
pub(crate) fn words(content: &(impl Content + ?Sized)) -> Vec<u64> {
    let mut words = Vec::new();
    content.write(&mut words);
    words
}

impl Content for f64 {
    fn write(&self, words: &mut Vec<u64>) {
        words.push(self.to_bits());
    }
}

impl Content for u64 {
    fn write(&self, words: &mut Vec<u64>) {
        words.push(*self);
    }
}

impl Content for u32 {
    fn write(&self, words: &mut Vec<u64>) {
        words.push(u64::from(*self));
    }
}

/// A place is no content.
impl Content for Span {
    fn write(&self, _: &mut Vec<u64>) {}

    fn places(&mut self, see: &mut dyn FnMut(&mut Self)) {
        see(self);
    }
}

/// Which text it is, is no content.
impl Content for SourceId {
    fn write(&self, _: &mut Vec<u64>) {}
}

impl Content for bool {
    fn write(&self, words: &mut Vec<u64>) {
        words.push(u64::from(*self));
    }
}

impl Content for str {
    fn write(&self, words: &mut Vec<u64>) {
        words.push(self.len() as u64);
        words.extend(self.as_bytes().chunks(8).map(|bytes| {
            let mut word = [0; 8];
            word[..bytes.len()].copy_from_slice(bytes);
            u64::from_le_bytes(word)
        }));
    }
}

impl Content for String {
    fn write(&self, words: &mut Vec<u64>) {
        self.as_str().write(words);
    }
}

impl Content for Point {
    fn write(&self, words: &mut Vec<u64>) {
        words.extend([self.x.to_bits(), self.y.to_bits()]);
    }
}

impl Content for Vec2 {
    fn write(&self, words: &mut Vec<u64>) {
        words.extend([self.x.to_bits(), self.y.to_bits()]);
    }
}

impl<T: Content + ?Sized> Content for &T {
    fn write(&self, words: &mut Vec<u64>) {
        (**self).write(words);
    }
}

impl<T: Content> Content for Option<T> {
    fn write(&self, words: &mut Vec<u64>) {
        words.push(u64::from(self.is_some()));
        self.iter().for_each(|value| value.write(words));
    }

    fn places(&mut self, see: &mut dyn FnMut(&mut Span)) {
        self.iter_mut().for_each(|value| value.places(see));
    }
}

impl<T: Content> Content for [T] {
    fn write(&self, words: &mut Vec<u64>) {
        words.push(self.len() as u64);
        self.iter().for_each(|value| value.write(words));
    }
}

impl<T: Content> Content for Vec<T> {
    fn write(&self, words: &mut Vec<u64>) {
        self.as_slice().write(words);
    }

    fn places(&mut self, see: &mut dyn FnMut(&mut Span)) {
        self.iter_mut().for_each(|value| value.places(see));
    }
}

impl<A: Content, B: Content> Content for (A, B) {
    fn write(&self, words: &mut Vec<u64>) {
        self.0.write(words);
        self.1.write(words);
    }

    fn places(&mut self, see: &mut dyn FnMut(&mut Span)) {
        self.0.places(see);
        self.1.places(see);
    }
}

impl<T: Content> Content for Spanned<T> {
    fn write(&self, words: &mut Vec<u64>) {
        self.value.write(words);
    }

    fn places(&mut self, see: &mut dyn FnMut(&mut Span)) {
        see(&mut self.span);
        self.value.places(see);
    }
}

/// The fields of a structure. Those of records are in their tables.
macro_rules! fields {
    ($($name:ident $(<$T:ident>)? { $($field:ident),* })*) => {$(
        impl $(<$T: $crate::schema::content::Content>)? $crate::schema::content::Content for $name $(<$T>)? {
            fn write(&self, words: &mut Vec<u64>) {
                let Self { $($field,)* } = self;
                $($field.write(words);)*
            }

            fn places(&mut self, see: &mut dyn FnMut(&mut Span)) {
                $(self.$field.places(see);)*
            }
        }
    )*};
}

/// The variants of an enumeration, without or with one value each.
macro_rules! variants {
    ($($name:ident { $($plain:ident),* } with { $($tagged:ident),* })*) => {$(
        impl $crate::schema::content::Content for $name {
            fn write(&self, words: &mut Vec<u64>) {
                match self {
                    $(Self::$plain => stringify!($plain).write(words),)*
                    $(Self::$tagged(value) => {
                        stringify!($tagged).write(words);
                        value.write(words);
                    })*
                }
            }

            fn places(&mut self, _see: &mut dyn FnMut(&mut $crate::span::Span)) {
                match self {
                    $(Self::$plain => {})*
                    $(Self::$tagged(value) => value.places(_see),)*
                }
            }
        }
    )*};
}

pub(crate) use {fields, variants};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doc::{BindingDoc, BoneDoc, RigidDoc, SmoothDoc};

    #[test]
    fn places_are_no_content_and_everything_else_is() {
        let bone = |name: &str, at| BoneDoc {
            name: Spanned::new(name.to_owned(), Span::at(at)),
            ..BoneDoc::default()
        };
        assert_eq!(words(&bone("hip", 3)), words(&bone("hip", 30)));
        assert_ne!(words(&bone("hip", 3)), words(&bone("hop", 3)));
        let length = |length| BoneDoc { length, ..bone("hip", 3) };
        assert_ne!(words(&length(Some(0.0.into()))), words(&length(Some((-0.0).into()))));
        let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<String>>();
        assert_ne!(words(&names(&["ab", "c"])), words(&names(&["a", "bc"])));
        assert_ne!(words(&names(&["a\0"])), words(&names(&["a"])));
        let binding =
            |bone: &str| BindingDoc::Rigid(RigidDoc { bone: bone.to_owned().into(), ..RigidDoc::default() });
        assert_ne!(words(&binding("Explicit")), words(&BindingDoc::Smooth(SmoothDoc::default())));
    }
}
