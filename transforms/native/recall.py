"""Programs whose code another process compiled: found by what they compute, so that nothing has to be written first."""

from struct import iter_unpack, pack, unpack_from

import numpy as np

from ...core.types import Any
from .attached import Around, Slow, attached, slots_of
from .fingerprint import fingerprint
from .machine.blas import library_threads
from .machine.engine import machine, thread_count
from .machine.layouts import functions
from .machine.object_cache import folder
from .machine.object_files import SUPPORTED

_LARGEST = 1 << 15  # bytes of constants, derived ones included


class Recall:
    """One program, to be found or to be remembered.

    Args:
        graph: its equations, before all passes or after them.
        draft: gives them after all passes.
        about: what tells it from other programs of the same graph.
    """

    def __init__(self, graph, draft, about):
        self.inputs = graph.inputs
        self.draft = draft
        self.plan: Any = None  # how a program was divided that calls NumPy between its native parts, once found
        kept = SUPPORTED and folder() is not None and functions() is not None
        self.mark = fingerprint(graph) if kept else None
        # What the program is found by; None where nothing tells it, or the processor, from others.
        self.key = self.mark and machine().key_of_program(
            f"program {self.mark.hex()} {about} {thread_count()} {library_threads() == 1}")

    def function(self, inside=False):
        """The function, or None; `inside` as `Around` has it."""
        files = self.key and machine().files()
        found = files.get(self.key, _unpacked) if files else None
        if not found:
            return None
        if len(found) == 1:
            self.plan = found[0]
            return None
        code, needed, names, constants = found
        around = Around([v.aval for v in self.inputs], Slow(self.draft), inside)
        slots = slots_of(names, constants, around)
        code = slots and machine().recalled(code, needed)
        return attached(code.symbols, slots, around, code) if code else None

    @property
    def is_unworthy(self):
        """Whether it is known that the program is not worth native code."""
        return self.plan is not None and not self.plan

    def note_plan(self, plan):
        """Remember how a program was divided; no numbers for one that is not worth native code."""
        files = self.key and machine().files()
        if files:
            files.put(self.key, pack(f"<{1 + len(plan)}q", 0, *plan))
        self.plan = plan

    def note(self, text, needed, slots):
        """Remember what was compiled."""
        constants = [thing for name, thing in zip(slots.places, slots.kept) if name.startswith("constant ")]
        files = self.key and machine().files()
        if not files or sum(x.nbytes for x in constants) > _LARGEST or not all(map(_is_whole, constants)):
            return
        keys = {symbol: machine().keys[symbol] for symbol in needed}
        files.put(self.key, _packed(machine().key(text), keys, list(slots.places), constants))


def _order(x):
    """The axes of an array as they lie in memory: code that reads it was written for that."""
    return sorted(range(x.ndim), key=lambda k: -x.strides[k])


def _is_whole(x):
    """Whether the elements of an array are all there is between its first and its last."""
    return x.transpose(_order(x)).flags.c_contiguous


def _packed(code, needed, names, constants):
    """Bytes of the key of an object file, those of the functions it calls, names and arrays, each with its length."""
    parts = [code, pack("<q", len(needed))]
    for symbol, key in needed.items():
        parts += [symbol.encode(), key]
    parts += ["\0".join(names).encode(), pack("<q", len(constants))]
    for x in constants:
        order = _order(x)
        x = x.transpose(order)
        parts += [x.dtype.str.encode(), np.array([order, x.shape], np.int64).tobytes(), x.tobytes()]
    return b"".join([pack("<q", len(part)) + part for part in parts])


def _unpacked(data):
    """What was packed; a plan alone, without a key before it."""
    at = 0

    def part():
        nonlocal at
        (length,) = unpack_from("<q", data, at)
        at += 8 + length
        return data[at - length : at]

    code = part()
    if not code:
        return ([number for (number,) in iter_unpack("<q", data[at:])],)
    needed = {part().decode(): part() for _ in range(unpack_from("<q", part())[0])}
    names = part().decode().split("\0")
    constants = []
    for _ in range(unpack_from("<q", part())[0]):
        dtype = np.dtype(part().decode())
        order, shape = np.frombuffer(part(), np.int64).reshape(2, -1)
        constants.append(np.frombuffer(part(), dtype).reshape(shape).transpose(np.argsort(order)))
    return code, needed, names, constants
