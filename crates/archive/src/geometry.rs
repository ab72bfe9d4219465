//! The geometry of `kurbo`.

use kurbo::{Affine, BezPath, CubicBez, PathEl, Point, Rect, Size, Vec2};

use crate::{Archive, ArchiveError, Reader, Writer};

macro_rules! pair {
    ($($name:ident { $x:ident, $y:ident }),*) => {$(
        impl Archive for $name {
            fn write(&self, to: &mut Writer) {
                (self.$x, self.$y).write(to);
            }

            fn read(from: &mut Reader<'_>) -> Result<Self, ArchiveError> {
                let ($x, $y) = Archive::read(from)?;
                Ok(Self::new($x, $y))
            }
        }
    )*};
}
pair!(Point { x, y }, Vec2 { x, y }, Size { width, height });

impl Archive for Affine {
    fn write(&self, to: &mut Writer) {
        self.as_coeffs().write(to);
    }

    fn read(from: &mut Reader<'_>) -> Result<Self, ArchiveError> {
        Archive::read(from).map(Self::new)
    }
}

impl Archive for Rect {
    fn write(&self, to: &mut Writer) {
        [self.x0, self.y0, self.x1, self.y1].write(to);
    }

    fn read(from: &mut Reader<'_>) -> Result<Self, ArchiveError> {
        let [x0, y0, x1, y1] = Archive::read(from)?;
        Ok(Self::new(x0, y0, x1, y1))
    }
}

impl Archive for CubicBez {
    fn write(&self, to: &mut Writer) {
        [self.p0, self.p1, self.p2, self.p3].write(to);
    }

    fn read(from: &mut Reader<'_>) -> Result<Self, ArchiveError> {
        let [p0, p1, p2, p3]: [Point; 4] = Archive::read(from)?;
        Ok(Self::new(p0, p1, p2, p3))
    }
}

impl Archive for PathEl {
    fn write(&self, to: &mut Writer) {
        let (verb, points): (u8, &[Point]) = match self {
            Self::MoveTo(p) => (0, &[*p]),
            Self::LineTo(p) => (1, &[*p]),
            Self::QuadTo(a, p) => (2, &[*a, *p]),
            Self::CurveTo(a, b, p) => (3, &[*a, *b, *p]),
            Self::ClosePath => (4, &[]),
        };
        to.byte(verb);
        points.iter().for_each(|point| point.write(to));
    }

    fn read(from: &mut Reader<'_>) -> Result<Self, ArchiveError> {
        let verb = from.byte()?;
        let mut point = || Point::read(from);
        Ok(match verb {
            0 => Self::MoveTo(point()?),
            1 => Self::LineTo(point()?),
            2 => Self::QuadTo(point()?, point()?),
            3 => Self::CurveTo(point()?, point()?, point()?),
            4 => Self::ClosePath,
            _ => return Err(from.invalid("curve")),
        })
    }
}

impl Archive for BezPath {
    fn write(&self, to: &mut Writer) {
        to.list(self.elements());
    }

    fn read(from: &mut Reader<'_>) -> Result<Self, ArchiveError> {
        let elements: Vec<PathEl> = from.list()?;
        // Each figure begins with a move: what follows a close may not.
        let begins = matches!(elements.first(), None | Some(PathEl::MoveTo(_)));
        from.check(begins, "outline")?;
        Ok(Self::from_vec(elements))
    }
}
