"""Boxed buffers: arrays that traced code may write to in place, and their views.

A buffer holds the newest contents as an immutable value (an array or a tracer); a write replaces them by the output of
`index_update`, whose node points to the old contents. A view knows its base and the steps from it: a write through the
view writes the base, and a read of the view after the base changed takes the steps again. Where a write made the
contents and nobody was given them since, the next one happens in place, so n writes cost O(n).
"""

import operator
from contextvars import ContextVar
from weakref import ref

import numpy as np

from ..arrays.avals import aval_of
from ..errors import ConversionError, at_user_line
from ..facts import REGISTRY
from .tracer import Late, Tracer, last_level, next_level, unwrap

ndarray = np.ndarray


class State:
    """The state of a buffer beside its contents: version, base and steps of a view, ownership."""

    __slots__ = ("stamp", "version", "base", "steps", "seen", "strides", "own")

    def __init__(self, stamp, base=None, steps=(), strides=None, own=False):
        # The newest trace when the buffer was made: younger tracers must not be written into it. None: nothing may be.
        self.stamp = stamp
        self.version = 0
        self.base = base
        self.steps = steps
        self.seen = 0
        self.strides = strides  # in elements, where it was made in another order than that of its axes
        self.own = own  # nobody else was given the memory of the contents: the next write may happen in it


class Buffer(Tracer):
    """An array that may be written to. `trace` is None; `value` holds the contents, `state` the rest."""

    __slots__ = ()

    @property
    def aval(self):
        return aval_of(self.value)

    shape = Tracer.shape.getter(lambda self: self.value.shape)
    dtype = property(lambda self: self.value.dtype)
    ndim = property(lambda self: self.value.ndim)
    size = property(lambda self: self.value.size)

    def read(self):
        """The contents now, as an immutable value."""
        state = self.state
        base = state.base
        if base is None:
            state.own = False
        # Reads between writes are free: the steps are taken again only after the base has changed.
        elif base.state.version != state.seen:
            self.value = base.part(lambda whole: follow(whole, state.steps))
            state.seen = base.state.version
        return self.value

    def part(self, take):
        """`take(contents)`, which no later write changes: a small part is copied, for a large one the next write is."""
        if self.state.base is not None:
            return take(self.read())
        contents = self.value
        out = take(contents)
        if not self.state.own:
            return out
        # Handing out a view of owned memory would let the next write change it: copy the part now, or the whole then.
        if getattr(out, "size", 1) * _FEW <= contents.size:
            return _copied(out)
        self.state.own = False
        return out

    def view_through(self, prim, params, always=False):
        """The output of a view primitive, tied to this buffer; `always`: where it has to copy, too."""
        state = self.state
        out = self.part(lambda contents: prim.fun(contents, *params))
        if not getattr(out, "ndim", 0) and prim.view is not True and not prim.view(*params):
            return out
        if not always and not _shares_memory(self, prim, params):
            return make_buffer(out, True)  # `out` itself is tied to the contents, or plain, where nothing traced fits
        base = self if state.base is None else state.base
        return _box(out, State(state.stamp, base, (*state.steps, (prim, params))), base.state.version)

    def write(self, index, value, add=False):
        """`buffer[index] = value` (or `+=`) for a basic index."""
        state = self.state
        if state.base is not None:
            self._write_base(lambda x: updated(x, value, index, add), value)
            return
        _check_level(value, state.stamp)
        self.value = updated(self.value, value, index, add, state.own)
        state.own = _in_memory_of_its_own(self.value)
        state.version += 1

    def assign(self, update, value):
        """Replace the contents by `update(contents)`, which writes `value` into them."""
        state = self.state
        if state.base is not None:
            self._write_base(update, value)
            return
        _check_level(value, state.stamp)
        self.value = update(self.value)
        state.own = False
        state.version += 1

    def _write_base(self, update, value):
        """Write the base of a view, and take the steps to it again."""
        state = self.state
        _check_level(value, state.stamp)
        base = state.base
        old = base.value
        chain = [old]
        for prim, params in state.steps:
            chain.append(prim.fun(chain[-1], *params))
        new = update(chain[-1])
        # Outwards: each step puts the new part into what it was taken of, by `unview`.
        for (prim, params), outer in zip(reversed(state.steps), reversed(chain[:-1])):
            new = prim.unview(outer, new, *params)
        base.value = new
        base.state.own = False
        base.state.version += 1

    def __repr__(self):
        return f"Buffer({self.read()!r})"

    def __bool__(self):
        return bool(self.read())

    # As long as nothing traced was written, it is what the plain array in it is; then the refusals of `Tracer` hold.

    def __index__(self):
        return operator.index(self.plain(Tracer.__index__))

    def __float__(self):
        return float(self.plain(Tracer.__float__))

    def __int__(self):
        return int(self.plain(Tracer.__int__))

    def __complex__(self):
        return complex(self.plain(Tracer.__complex__))

    def item(self, *args):
        return self.plain(Tracer.item).item(*args)

    def tolist(self):
        return self.plain(Tracer.tolist).tolist()

    def __array__(self, dtype=None, copy=None):
        """Read-only where it is not copied: a write to it would not be seen here."""
        contents = np.asarray(self.plain(Tracer.__array__))
        if copy or dtype is not None and contents.dtype != dtype:
            return np.array(contents, dtype)
        out = contents.view()
        out.flags.writeable = False
        return out

    def __reduce__(self):
        return np.array, (self.plain(Tracer.__reduce__),)

    def plain(self, otherwise=None):
        """The plain array in it; where that is a traced value, what `otherwise(self)` gives, which raises."""
        contents = self.read()
        return contents if not isinstance(contents, Tracer) or otherwise is None else otherwise(self)


def updated(x, value, index, add, own=False):
    """`x` with `x[index] = value`, or `+=` where `add`; in its memory where that is our own."""
    return REGISTRY["index_update"].fun(x, value, index, add, own)


def _box(value, state, seen=0):
    out = Buffer()
    out.owner = None
    out.value = value
    out.state = state
    state.seen = seen
    return out


def make_buffer(value, own=False, ordered=False):
    """A buffer with the contents `value`; an array is copied unless `own` says that nobody else holds it.

    It keeps the order of the axes in memory, as `np.copy` does, unless it is to be `ordered`.
    """
    if type(value) is Buffer:
        value = value.read()
    strides = None if ordered else _dense(value)
    if isinstance(value, ndarray):
        if not own:
            value = value.copy()
        own = _in_memory_of_its_own(value)
    elif isinstance(value, Tracer):
        value, own = snapshot(value), False
    return _box(value, State(last_level(), strides=strides, own=own))


def shared_buffer(array):
    """A buffer with the memory of an array that others hold: traced indices read it, and nothing writes it."""
    seen = array.view()
    seen.flags.writeable = False
    return _box(seen, State(None, strides=_strides(array)))


def snapshot(tracer):
    """The same traced value in an object of its own, which a later write to the original does not reach."""
    if type(tracer) is Buffer:
        return snapshot(tracer.read()) if isinstance(tracer.read(), Tracer) else tracer.read()
    if type(tracer) is Late:
        tracer.value  # noqa: B018 - computed once for both
    return tracer._twin()


def identity(tracer):
    """A key that a traced value shares with its snapshots, and with no other live value."""
    return (id(tracer.owner), id(tracer.value), id(getattr(tracer, "node", None)), id(getattr(tracer, "tangent", None)))


def turn_into_buffer(tracer, state):
    """Turn a traced value into a buffer in place."""
    guard = CLOSURE_GUARD.get()
    if guard is not None and tracer.owner is not None and (
            tracer.owner.level < guard.level or any(x is tracer for x in guard.captured)):
        guard.buffered.append((ref(tracer), at_user_line()))
    # The old value lives on in the snapshot, with its node: what was recorded of it stays valid.
    contents = snapshot(tracer)
    state.strides = _strides(contents)
    tracer.__class__ = Buffer
    tracer.owner = None
    tracer.value = contents
    tracer.state = state
    return tracer


def follow(value, steps):
    """Apply the steps of a view to a value."""
    for prim, params in steps:
        value = prim.fun(value, *params)
    return value


def _shares_memory(buffer, prim, params):
    """Tell whether NumPy would give a view: asked of its memory, and only where it can differ."""
    if not prim.copies:
        return True
    whole = part = memory_of(buffer if buffer.state.base is None else buffer.state.base)
    for step, values in buffer.state.steps:
        part = step.impl(np, part, *values)
    return np.shares_memory(step_of(prim, part, params), whole) if whole.size else True


def memory_of(tracer):
    """An array of one byte an element that lies in memory as a traced value does in NumPy; of a batch, one example."""
    # A byte an element and one example: NumPy's own view rules are asked without the memory of the data.
    strides, shape = tracer.state.strides if type(tracer) is Buffer else _strides(tracer), tracer.shape
    if strides is None or 0 in shape:
        return np.empty(shape, np.int8)
    ends = [step * (n - 1) for step, n in zip(strides, shape)]
    before = -sum(min(end, 0) for end in ends)
    return np.ndarray(shape, np.int8, bytes(before + sum(max(end, 0) for end in ends) + 1), before, strides)


def _strides(value):
    """Strides in elements along each axis; None: in order, as those of staged values count."""
    array = unwrap(value)
    if not isinstance(array, ndarray) or array.flags.c_contiguous:
        return None
    return tuple([step // array.itemsize for step in array.strides[array.ndim - value.ndim :]])


def _dense(value):
    """The strides of a copy that keeps the order of the axes in memory, as `np.copy` does."""
    strides, step = _strides(value), 1
    if strides is None:
        return None
    found = list(strides)
    for k in sorted(range(len(found)), key=lambda k: (abs(strides[k]), -k)):
        found[k] = step
        step *= value.shape[k]
    return tuple(found)


def step_of(prim, array, params):
    """A view primitive on a plain array."""
    return prim.impl(np, array, *params)


def _check_level(value, stamp):
    if stamp is None:
        raise ConversionError("asarray gave the memory of a plain array, which is not written to inside of a "
                              f"transformed function; write to covector.numpy.array(a), a copy{at_user_line()}")
    guard = CLOSURE_GUARD.get()
    if guard is not None and guard.level > stamp:
        guard.refuse(at_user_line())
    if isinstance(value, Tracer):
        inner = value.read() if type(value) is Buffer else value
        if isinstance(inner, Tracer) and inner.owner.level > stamp:
            raise ConversionError(
                f"a value of an inner {inner.owner.kind} ({inner.aval!r}) was written into a buffer created outside "
                f"it, where its derivative would be lost; make the buffer inside the transformed function, "
                f"or return the value{at_user_line()}"
            )


_FEW = 4  # a part of at most one in so many elements is copied when it is read: less than the next write would copy


def _in_memory_of_its_own(value):
    """Tell whether the array in a value, which a write has made, can be written to where it lies."""
    array = unwrap(value)
    return type(array) is ndarray and array.base is None and array.flags.writeable


def _copied(value):
    """A value whose arrays are copies."""
    if isinstance(value, ndarray):
        return value.copy()
    if isinstance(value, Tracer):
        value = snapshot(value)
        value.value = _copied(value.value)
    return value


# Guard against writes to closed-over arrays while a function is staged.


class ClosureGuard:
    """While a function is staged, or called for both outcomes of a condition: `begin()`, then `check()`."""

    __slots__ = ("level", "captured", "staging", "buffered")

    def __init__(self, level=None):
        self.staging = level is not None  # or it stands in a function that is staged
        self.level = next_level() if level is None else level  # buffers of older stamps were made outside
        self.captured = []  # tracers of the graph that stand for values which the function closes over
        self.buffered = []  # weakly, older traced values that were made buffers, and the lines of the user

    def capture(self, tracer):
        """Count a tracer among the values made outside; return it."""
        self.captured.append(tracer)
        return tracer

    def begin(self):
        """Hold from now on, until the caller restores `CLOSURE_GUARD`, also after a signal."""
        before = CLOSURE_GUARD.get()
        self.staging = self.staging or before is not None and before.staging
        CLOSURE_GUARD.set(self)
        return self

    def check(self):
        """Raise if a value that was written to is still held, by those who made it outside; to be called at the end."""
        for tracer, line in self.buffered:
            if tracer() is not None:
                self.refuse(line)

    def refuse(self, line):
        raise ConversionError(
            "an in-place write in a function that is staged, or called for both outcomes of a condition, met an array "
            "made outside of it, which would be written to once, however often the function runs; write to a copy, or "
            f"let the function take the array and return it, as in the carry of a loop{line}")


CLOSURE_GUARD: ContextVar[ClosureGuard | None] = ContextVar("covector_closure_guard", default=None)


def is_staging():
    """Tell whether the code that runs stands in a function that is staged, whatever its operands are."""
    guard = CLOSURE_GUARD.get()
    return guard is not None and guard.staging
