"""Liveness and buffer assignment of NumPy source: shared temporaries, and results in the memory of inputs."""

import numpy as np

from ...graph.equations import Var

_LARGE = 1 << 25  # bytes of an array that is allocated when it is needed, and freed when it is not


class Slot:
    """A buffer for temporaries: its size in bytes, and the arrays that are views of it."""

    __slots__ = ("nbytes", "views")

    def __init__(self, nbytes):
        self.nbytes = nbytes
        self.views = {}  # name -> (dtype, shape, the views that lead to it)


class Memory:
    """The buffer assignment of one function.

    Args:
        names: `{variable: its name}` of the function.
        compact: the variables that are known to lie in order; it grows with the function.
        donated: the inputs whose memory outputs may take.
        spent: those of them that no equation reads.
    """

    def __init__(self, names, compact, donated, spent):
        self.names = names
        self.count = 0
        self.compact = compact
        self.donated = donated
        self.spent = spent
        self.taken = set()  # results in the memory of a donated input
        self.slots = []
        self.free = {}  # bytes -> free slots
        self.rows = {}  # what a loop collects -> the name of the row that it is computed into

    def takes(self, out, leaving):
        """Tell whether a result is a temporary that goes into a buffer."""
        nbytes = out.aval.size * out.aval.dtype.itemsize
        return out not in leaving and out.aval.ndim > 0 and out in self.compact and 0 < nbytes <= _LARGE

    def buffer(self, out, held):
        """The name of a buffer for a result; `held` notes the slot."""
        if out in self.rows:
            return self.rows[out]
        aval = out.aval
        nbytes = aval.size * aval.dtype.itemsize
        spare = self.free.get(nbytes)
        if spare:
            slot = spare.pop()
        else:
            slot = Slot(nbytes)
            self.slots.append(slot)
        held[out] = slot
        for name, (dtype, shape, steps) in slot.views.items():
            if dtype == aval.dtype and shape == aval.shape and not steps:
                return name
        self.count += 1
        name = f"b{self.count}"
        slot.views[name] = aval.dtype, aval.shape, ()
        return name

    def slot_of(self, name):
        """The slot that holds the array of this name, or None."""
        for slot in self.slots:
            if name in slot.views:
                return slot
        return None

    def view(self, name, target, prim, params):
        """Name a view of the array of a slot; False where `name` lies in none."""
        slot = self.slot_of(name)
        if slot is None:
            return False
        dtype, shape, steps = slot.views[name]
        slot.views[target] = dtype, shape, (*steps, (prim, params))
        return True

    def release(self, slots):
        """Free slots for other results."""
        for slot in slots:
            # Several variables may show one slot (a result over its operand), and die together.
            if slot not in self.free.setdefault(slot.nbytes, []):
                self.free[slot.nbytes].append(slot)

    def reuse_operand(self, eq, held, dying):
        """The buffer of an operand that nobody reads afterwards, for the result: element by element that is safe."""
        out = eq.outputs[0]
        if out in self.rows:
            return None
        for v in eq.inputs:
            if type(v) is Var and v in dying and v in held and self.alone(v, held, dying):
                slot = held[v]
                name = self.names[v]
                aval = v.aval
                # Not through a view: its slot holds the elements in another order.
                if aval.shape == out.aval.shape and aval.dtype == out.aval.dtype and slot.views[name][2] == ():
                    held[out] = held.pop(v)
                    return name
        return None

    def alone(self, v, held, dying):
        """Tell whether no other variable that lives on shows the memory of this one."""
        return all(other in dying or held[other] is not held[v] for other in held if other is not v)

    def take_donated(self, eq, dying):
        """A donated input that nobody reads any more, for a result of its shape and dtype; else None."""
        out = eq.outputs[0]
        if out not in self.compact:
            return None
        for v in [*self.spent, *[v for v in dying if v in self.donated]]:
            if v.aval.shape == out.aval.shape and v.aval.dtype == out.aval.dtype and v.aval.ndim:
                self.spent.discard(v)
                self.donated.discard(v)
                self.taken.add(out)
                return v
        return None

    @property
    def frame(self):
        """The names of all buffers and views of them, in order."""
        return [name for slot in self.slots for name in slot.views]


def make_frame(slots):
    """A function that allocates the buffers, on the bounds of cache lines, with all views of them."""
    def new_frame():
        found = []
        for slot in slots:
            memory = np.empty(slot.nbytes + 64, np.uint8)
            # So that no vector load crosses the bound of a cache line.
            start = -memory.__array_interface__["data"][0] % 64
            memory = memory[start : start + slot.nbytes]
            for dtype, shape, steps in slot.views.values():
                array = memory.view(dtype).reshape(shape)
                for prim, params in steps:
                    array = prim.impl(np, array, *params)
                found.append(array)
        return tuple(found)

    return new_frame


def take_frame(frames):
    """The memory of a run that has ended, or None; another thread may be as quick."""
    try:
        return frames.pop()
    except IndexError:
        return None
