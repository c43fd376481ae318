"""The text of all of compat's native functions: one module of LLVM, written of the sources beside this file."""

import functools
import pkgutil

from ..... import _engine
from .things import HELD, STRINGS

_TRANSLATOR = _engine.LazyModule("covector.compat.torch._impl.native.language.translator")
_LOOPS = _engine.LazyModule("covector.compat.torch._impl.native.loop_text")
_LANGUAGE = ("language.signatures", "language.expressions", "language.calls", "language.translator", "loop_text")
_VIEWED = ("GETITEM", "RESHAPE", "TRANSPOSE", "EXPAND", "SELECT", "place", "ready", "selected", "sliced", "aliased",
           "inserted", "viewed", "swapped", "expanded", "picked", "every")
_TRACED = ("left", "left_saves", "right", "right_saves", "both", "both_saves", "needs", "CopySlices", "left_copies",
           "both_copies", "put_of", "GETITEM", "KEEPERS")
_PUT = ("BASE", "VALUE", "BOTH", "NUMBER", "place", "every", "KEEPERS")
# Source -> what stands behind the table's named places when its functions run.
BEHIND = {"objects": (), "histories": (), "maps": (), "levels": (), "makers": (), "views": _VIEWED,
          "index_lanes": _VIEWED, "shape_lanes": _VIEWED, "traces": _TRACED, "writes": _TRACED, "index_writes": _PUT,
          "keys": (), "calls": (), "rewriting": ("KEEPERS",)}
NUMBERS = ("left_saves", "right_saves", "both_saves", "needs")
_SLOTS = {  # how sources call slots -> how `_offsets` of functions.py does, where these differ
    "inferring": "inference", "level_map": "mapped"} | {
    f"boxed_{name}": f"boxed {name}" for name in ("owner", "value", "node", "aval", "tangent")}


class Text:
    """A module's text, written when it is needed; `about` says what it will be."""

    def __init__(self, small, at, places):
        self.small = small
        self.at = at
        self.places = places
        read = {name: source(name) for name in (*_LANGUAGE, *BEHIND)}
        self.about = None if None in read.values() else repr(
            (small.arrays, sorted(at.items()), places, BEHIND, NUMBERS, read))

    @functools.cached_property
    def written(self):
        return self.small.arrays + _LOOPS.LOOPS + _TRANSLATOR.module(
            {name: source(name) for name in BEHIND}, self.places, _fields(self.at), BEHIND, NUMBERS)


def source(name):
    """The text of a file beside this one; None where only what Python compiled of it is there."""
    package, _, name = f"{__package__}.{name}".rpartition(".")
    try:
        found = pkgutil.get_data(package, f"{name}.py")
    except OSError:
        return None
    return None if found is None else found.decode()


def places(known):
    """The names of the places of a table, of which the first are `known`."""
    return tuple(dict.fromkeys((*known, *HELD, *(f"'{text}'" for text in STRINGS))))


def _fields(at):
    """`{name: (offset, kind)}` of the slots that sources read."""
    names = {slot: name for name, slot in _SLOTS.items()}
    text = _engine.native_text
    return {names.get(slot, slot): (offset, "object") for slot, offset in at.items()} | {
        "type": (text.TYPE, "object"), "array_base": (text.BASE, "object"), "descr": (text.DESCR, "object"),
        "dims": (text.DIMS, "words"), "strides": (text.STRIDES, "words"), "data": (text.DATA, "object"),
        "rank": (text.NDIM, "int32"), "flags": (text.FLAGS, "int32"),
        "letters": (text.KIND, "int"), "float_bits": (text.VALUE, "int"),
        "slice_start": (text.START, "object"), "slice_stop": (text.STOP, "object"),
        "slice_step": (text.STEP, "object")}
