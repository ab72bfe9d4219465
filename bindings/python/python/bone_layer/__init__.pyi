"""Poses vector drawings with 2D bones: rigs, frames as arrays, players, edits.

Angles are in degrees, times in seconds. Places are on the canvas of the drawing, on which bones are typed; frames are in
its pixels. Everything but players and sessions does not change and can be shared by threads.
"""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal, TypeVar, final, overload, type_check_only

from typing_extensions import Buffer

__all__ = [
    "Array",
    "Bone",
    "BoneLayerError",
    "BonePose",
    "Clip",
    "Diagnostic",
    "EditError",
    "Event",
    "Frame",
    "Frames",
    "Marker",
    "PackError",
    "Player",
    "Pose",
    "Rig",
    "RigError",
    "Ron",
    "Session",
    "UnknownName",
]

_Out = TypeVar("_Out")
_Path = str | os.PathLike[str]
_Named = Literal[
    "bone", "art", "constraint", "slider", "pose", "clip", "shot", "machine", "state", "input"
]
_Ease = str | tuple[str | float, ...]

class BoneLayerError(Exception):
    """Whatever this module cannot do."""

class RigError(BoneLayerError):
    """A rig has mistakes: `diagnostics` has all of them."""

    diagnostics: tuple[Diagnostic, ...]

class PackError(BoneLayerError):
    """Bytes are no packed rig of this version."""

class UnknownName(BoneLayerError):
    """Nothing has this name: `near` has those like it."""

    near: tuple[str, ...]

class EditError(BoneLayerError):
    """An edit is refused: nothing has changed."""

    diagnostics: tuple[Diagnostic, ...]

@final
class Diagnostic:
    """A finding in a rig or a drawing. As a text it has its place and its help."""

    @property
    def severity(self) -> Literal["error", "warning"]: ...
    @property
    def code(self) -> str:
        """Its kind, like `unknown-bone`."""
    @property
    def message(self) -> str: ...
    @property
    def file(self) -> str | None: ...
    @property
    def line(self) -> int | None:
        """From 1."""
    @property
    def column(self) -> int | None:
        """From 1, in characters."""
    @property
    def label(self) -> str: ...
    @property
    def help(self) -> list[str]: ...

@final
class Array(Buffer):
    """A table of numbers that do not change: `numpy.asarray` and `memoryview` read it without a copy."""

    @property
    def shape(self) -> list[int]: ...
    def __len__(self) -> int: ...
    def tolist(self) -> list[Any]: ...

@final
class Bone:
    """A bone at rest."""

    @property
    def name(self) -> str: ...
    @property
    def parent(self) -> str | None: ...
    @property
    def length(self) -> float: ...

@final
class BonePose:
    """What a bone does in its parent's frame: on top of the clip, or in its place with `replace`."""

    def __new__(
        cls,
        *,
        move: tuple[float, float] = (0.0, 0.0),
        angle: float = 0.0,
        scale: tuple[float, float] = (1.0, 1.0),
        stretch: float = 1.0,
        replace: bool = False,
    ) -> BonePose: ...
    @property
    def move(self) -> tuple[float, float]: ...
    @property
    def angle(self) -> float: ...
    @property
    def scale(self) -> tuple[float, float]: ...
    @property
    def stretch(self) -> float: ...
    @property
    def replace(self) -> bool: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...
    __hash__ = None  # type: ignore[assignment]

@final
class Marker:
    """A moment of a clip that has a name."""

    @property
    def time(self) -> float: ...
    @property
    def name(self) -> str: ...

@final
class Clip:
    """A clip or sequence of a rig. Notebooks show it as it plays."""

    @property
    def name(self) -> str: ...
    @property
    def length(self) -> float: ...
    @property
    def looped(self) -> bool: ...
    @property
    def frames(self) -> int:
        """How many it has at the rate of the rig."""
    @property
    def markers(self) -> list[Marker]: ...
    def encode(
        self,
        format: Literal["webp", "gif", "apng"] = "webp",
        *,
        fps: float | None = None,
        size: tuple[int, int] | None = None,
        scale: float | None = None,
        background: str | None = None,
    ) -> bytes:
        """All frames as a file."""
    def save(
        self,
        path: _Path,
        *,
        fps: float | None = None,
        size: tuple[int, int] | None = None,
        scale: float | None = None,
        background: str | None = None,
    ) -> None:
        """Writes that file, by the ending of its name, whole or not at all."""
    def _repr_html_(self) -> str: ...

@final
class Frame(Buffer):
    """Pixels: a buffer of rows of red, green, blue and alpha, a byte each, that is read without a copy."""

    @property
    def width(self) -> int: ...
    @property
    def height(self) -> int: ...
    @property
    def premultiplied(self) -> bool:
        """Whether colours are multiplied by alpha."""
    def png(self, *, fast: bool = False) -> bytes:
        """The PNG file. `fast` takes a tenth of the time and up to half as many bytes more."""
    def save(self, path: _Path, *, fast: bool = False) -> None:
        """Writes the PNG file, whole or not at all."""
    def _repr_png_(self) -> bytes: ...

@final
class Frames(Iterator[Frame]):
    """Frames in their order. Threads draw a few ahead, and end with it."""

    def __iter__(self) -> Frames: ...
    def __next__(self) -> Frame: ...
    def __length_hint__(self) -> int: ...

@type_check_only
class _Drawable:
    """What is drawn as it stands."""

    @overload
    def render(
        self,
        *,
        size: tuple[int, int] | None = None,
        scale: float | None = None,
        background: str | None = None,
        premultiplied: bool = False,
        out: None = None,
    ) -> Frame: ...
    @overload
    def render(
        self,
        *,
        size: tuple[int, int] | None = None,
        scale: float | None = None,
        background: str | None = None,
        premultiplied: bool = False,
        out: _Out,
    ) -> _Out: ...

@final
class Pose(_Drawable):
    """A moment of a rig."""

    @property
    def bones(self) -> Array:
        """The bones on the canvas, in the order of the rig: (bones, 2, 3), the rows of matrices from their own frames."""
    def bone(self, name: str) -> tuple[tuple[float, float], tuple[float, float]]:
        """Where a bone begins and ends on the canvas."""
    def outline(self, element: str) -> tuple[Array, Array]:
        """The outlines of an element and of all in it: steps (0 move, 1 line, 2 quadratic, 3 cubic, 4 close) and points."""
    def svg(self) -> str: ...
    def hit(self, x: float, y: float, reach: float = 0.0) -> str | None:
        """The element in front at a point of the canvas, or no farther from it than `reach`."""
    def bounds(self, element: str | None = None) -> tuple[float, float, float, float] | None:
        """The box of what is painted: left, top, right, bottom."""

@final
class Rig:
    """A drawing with its bones and clips. Notebooks show it in its setup pose."""

    @staticmethod
    def load(path: _Path, *, fonts: bool = True) -> Rig:
        """Loads a rig file in RON or JSON with its drawing, or a packed rig (`.bones`)."""
    @staticmethod
    def from_files(files: dict[str, str | bytes], *, fonts: bool = True) -> Rig:
        """Loads a rig from texts and other files in memory; the rig is the first of them."""
    @staticmethod
    def unpack(pack: bytes) -> Rig: ...
    def pack(self) -> bytes:
        """The rig as bytes that load without its files."""
    def save(self, path: _Path) -> None:
        """Writes the packed rig, whole or not at all."""
    @property
    def diagnostics(self) -> list[Diagnostic]:
        """Warnings of the rig and its drawing."""
    @property
    def size(self) -> tuple[float, float]: ...
    @property
    def fps(self) -> float: ...
    @property
    def clips(self) -> list[Clip]: ...
    def clip(self, name: str) -> Clip: ...
    @property
    def bones(self) -> list[Bone]: ...
    @property
    def elements(self) -> list[str]:
        """Addresses of what is drawn, like `Body/Arm/hand`."""
    @property
    def inputs(self) -> list[str]:
        """What players can be set, like `mix:look`."""
    @property
    def outfits(self) -> list[str]: ...
    @property
    def machines(self) -> list[str]: ...
    def pose(
        self,
        clip: str | Clip | None = None,
        time: float = 0.0,
        *,
        bones: Mapping[str, BonePose] | None = None,
    ) -> Pose:
        """A moment of a clip, or the setup pose, with bones set on top."""
    @overload
    def render(
        self,
        clip: str | Clip | None = None,
        time: float = 0.0,
        *,
        size: tuple[int, int] | None = None,
        scale: float | None = None,
        background: str | None = None,
        premultiplied: bool = False,
        out: None = None,
    ) -> Frame:
        """Draws a moment. `out`, memory that can be written, is filled and returned."""
    @overload
    def render(
        self,
        clip: str | Clip | None = None,
        time: float = 0.0,
        *,
        size: tuple[int, int] | None = None,
        scale: float | None = None,
        background: str | None = None,
        premultiplied: bool = False,
        out: _Out,
    ) -> _Out: ...
    def frames(
        self,
        clip: str | Clip,
        *,
        fps: float | None = None,
        frames: Iterable[int] | None = None,
        threads: int = 0,
        size: tuple[int, int] | None = None,
        scale: float | None = None,
        background: str | None = None,
        premultiplied: bool = False,
    ) -> Frames:
        """The frames of a clip in their order, drawn ahead by threads (0: as many as there are processors)."""
    def player(self) -> Player: ...
    def edit(self) -> Session:
        """Opens the files of the rig to edit them."""
    def _repr_png_(self) -> bytes: ...

@final
class Event:
    """What happened in a step."""

    @property
    def kind(
        self,
    ) -> Literal["loop", "end", "removed", "marker", "input", "state", "stuck", "overflow"]: ...
    @property
    def name(self) -> str | None:
        """Of a marker, an input or a state."""
    @property
    def playback(self) -> int | None: ...
    @property
    def value(self) -> float:
        """Of a loop how many times, of a marker its weight, of a state its layer."""

@final
class Player(_Drawable):
    """Plays the clips of a rig, with live springs. Inputs, words, bones and outfits are seen from the next step on."""

    def play(
        self,
        clip: str | Clip,
        *,
        fade: float = 0.0,
        speed: float = 1.0,
        repeat: int | Literal["forever"] | None = None,
        at: float = 0.0,
    ) -> int:
        """Fades from what has played into a clip; the number of what plays."""
    def layer(
        self,
        clip: str | Clip,
        *,
        add: bool = False,
        bones: Sequence[str] | None = None,
        weight: float = 1.0,
        fade: float = 0.0,
    ) -> int:
        """Puts a clip above all others, for some bones and all below them."""
    def start(self, machine: str, *, fade: float = 0.0) -> None:
        """Fades from what has played into a state machine."""
    def state(self, layer: int = 0) -> str | None: ...
    def rest(self, *, fade: float = 0.0) -> int: ...
    def stop(self, playback: int, *, fade: float = 0.0) -> None: ...
    def seek(self, playback: int, time: float) -> None: ...
    def set_speed(self, playback: int, speed: float) -> None: ...
    def set_weight(self, playback: int, weight: float) -> None: ...
    def time(self, playback: int) -> float | None: ...
    def step(self, seconds: float) -> list[Event]: ...
    def exact(self, clip: str | Clip, time: float) -> None:
        """Poses a moment of a clip as `render-frames` draws it, with what is set on top."""
    def set_input(self, name: str, value: float | bool | tuple[float, float] | None) -> None: ...
    def fire(self, name: str) -> None:
        """Sets a trigger, which counts in the next step."""
    def set_color(
        self,
        element: str,
        color: str | tuple[float, float, float, float] | None,
        *,
        part: Literal["fill", "stroke"] = "fill",
    ) -> None: ...
    def set_text(self, element: str, words: str | None) -> None: ...
    def set_image(self, element: str, file: bytes | None) -> None: ...
    def set_visible(self, element: str, on: bool | None) -> None: ...
    def wear(self, outfits: Sequence[str] | None) -> None: ...
    def bone(self, name: str) -> tuple[float, float, float, float, float, float]:
        """The matrix of a bone to the canvas, as SVG has it."""
    def set_bone(self, name: str, pose: BonePose | None) -> None: ...
    def drag(self, bone: str, x: float, y: float, *, chain: int = 2) -> tuple[float, float]:
        """Brings the tip of a bone to a place, in the setup pose or in an exact moment; where the tip is now."""
    def hit(self, x: float, y: float, reach: float = 0.0) -> str | None: ...
    def bounds(self, element: str | None = None) -> tuple[float, float, float, float] | None: ...

@final
class Ron:
    """A value as a rig file has it: `Ron("Hold")`, `Ron('Rigid(bone: "hip")')`, `Ron('{"hip": 1}')`."""

    def __new__(cls, text: str) -> Ron: ...
    @property
    def text(self) -> str: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...

_Step = str | int | float
_Value = None | bool | float | str | Ron | list[Any] | tuple[Any, ...] | dict[str, Any]

@final
class Session:
    """The files of a rig while they are edited: an edit changes the least bytes of a text.

    A path is a list of names, places in lists, and times of keys as floats. A value is a number, a bool, a str, None, a tuple,
    a list, a dict (fields), or `Ron` for what Python has no form for: words, names before brackets, maps.
    """

    @staticmethod
    def open(path: _Path, *, fonts: bool = True) -> Session: ...
    def edit(self, name: str, /, **fields: Any) -> None:
        """Makes an edit by its name: `edit("SetParent", bone="hand", parent="arm")`. `from_` stands for `from`."""
    def edit_all(self, title: str, edits: Sequence[tuple[str, dict[str, Any]]]) -> None:
        """Makes several edits as one step, all or none."""
    def set(self, at: Iterable[_Step], value: _Value) -> None: ...
    def remove(self, at: Iterable[_Step]) -> None: ...
    def key(
        self,
        clip: str,
        bone: str,
        channel: str,
        time: float,
        value: _Value,
        *,
        ease: _Ease | None = None,
    ) -> None:
        """Sets a key of a bone: `key("walk", "hip", "rotate", 0.5, 30, ease=("Bezier", 0.4, 0, 0.6, 1))`."""
    def rename(self, of: _Named, from_: str, to: str) -> None: ...
    def delete(self, of: _Named, name: str, *, dependants: bool = False) -> None: ...
    def dependants(self, of: _Named, name: str) -> list[tuple[_Step, ...]]: ...
    def get(self, at: Iterable[_Step]) -> Any: ...
    def undo(self) -> str | None: ...
    def redo(self) -> str | None: ...
    def save(self) -> list[os.PathLike[str]]:
        """Writes the texts that have changed, each whole or not at all; the files that it wrote."""
    def sync(self) -> list[os.PathLike[str]]:
        """Takes in what other programs have written."""
    @property
    def text(self) -> str: ...
    @property
    def texts(self) -> dict[str, str]: ...
    @property
    def unsaved(self) -> list[os.PathLike[str]]: ...
    @property
    def diagnostics(self) -> list[Diagnostic]: ...
    @property
    def rig(self) -> Rig | None:
        """The rig as it is now; none while it has errors."""
