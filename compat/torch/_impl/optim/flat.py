"""Parameters, gradients and state as flat arrays: small ones of one dtype together, so that a step is a few passes."""

import operator

import numpy as np

from ..factories.creation import zeros_like
from ..graph import versions
from ..lists.plain import stands_alone, undisturbed
from ..modes.modes import MODES
from ..modes.warnings import error_state, restore_fp_warnings, suppress_fp_warnings
from ..types.arrays import ARRAYS, writeable
from ..types.dtypes import bfloat16, get_default_dtype
from ..types.tensor_type import TensorBase, wrap

ndarray = np.ndarray
SMALL = 1 << 14  # elements; a larger parameter is computed on where it lies
BLOCK = 1 << 15  # elements of one pass of a formula: what it makes on the way stays in the cache (46 us instead of 70)


def lies_plainly(t):
    """Tell whether a tensor is an array of its own that may be written to directly, as `inplace` would."""
    meta = t.autograd_meta
    return (t.level_trace is None and type(t.value) is ndarray and t.node is None and t.value.flags.writeable
            and t.value.dtype.kind in "fc" and (meta is None or meta.tangent is None and not meta.inference))


def directly(params, grads):
    """Tell whether a step can compute on arrays: nothing but no_grad is in force, and all tensors lie plainly."""
    m = MODES.get()
    if m is not None and not m.still and not m.default():
        return False
    for p, g in zip(params, grads):
        if not lies_plainly(p) or g.level_trace is not None or type(g.value) is not ndarray or (
                g.value.dtype != p.value.dtype or g.value.shape != p.value.shape):
            return False
    return True


def number_dtype():
    """The dtype of state that is one number: that of numbers by default, at least float32."""
    return np.dtype(np.float64 if get_default_dtype().numpy == np.float64 else np.float32)


def make_state(params, slots, numbers, bundled=True):
    """State of new parameters: for each a dict of tensors, zeros in its shape or numbers.

    Tensors of small parameters are views of one array, in the order of the parameters.

    Args:
        params: tensors that lie plainly, or not.
        slots: name -> initial value of what has the shape of the parameter.
        numbers: name -> initial value.
    """
    states = [{} for _ in params]
    for name, first in numbers.items():
        buffer = np.full(len(params), first, number_dtype())
        for i, state in enumerate(states):
            state[name] = wrap(buffer[i : i + 1].reshape(()))
    together = {}  # dtype -> (parameter, state) of small parameters that lie in order
    for p, state in zip(params, states):
        a = p.value
        if bundled and type(a) is ndarray and p.level_trace is None and a.size <= SMALL and a.flags.c_contiguous:
            together.setdefault(a.dtype, []).append((p, state))
            continue
        for name, first in slots.items():
            state[name] = zeros_like(p)
            if first:
                state[name].fill_(complex(first, first) if p.is_complex() else first)
    for dtype, members in together.items():
        ends = np.cumsum([p.value.size for p, _ in members]).tolist()
        for name, first in slots.items():
            buffer = np.full(ends[-1], complex(first, first) if dtype.kind == "c" else first, dtype)
            for (p, state), end in zip(members, ends):
                state[name] = wrap(buffer[end - p.value.size : end].reshape(p.value.shape))
    return states


def completed(optimizer, params, slots, numbers, bundled):
    """Give parameters the state of a first step, where they have none; returns the ids of those.

    Raises:
        KeyError: a part of a state is missing.
        TypeError, RuntimeError: the state that was loaded for a parameter is that of another one.
    """
    new = []
    for p in unique(params):
        state = optimizer.state.get(p, {})
        lacking = [name for name in (*slots, *numbers) if state.get(name) is None]
        if lacking and len(lacking) == len(slots) + len(numbers):
            new.append(p)
        elif lacking:
            raise KeyError(f"{lacking[0]} is not in the state of a parameter of shape {tuple(p.shape)}, in which are "
                           f"{', '.join(map(str, state))}; load a state dict of {type(optimizer).__name__} with the "
                           "same options, or begin without one")
        else:
            for name in slots:
                refuse_other_shape(optimizer, p.shape, name, state[name])
            for name in numbers:
                refuse_no_number(optimizer, name, state[name])
    for p, state in zip(new, make_state(new, slots, numbers, bundled)):
        optimizer.state[p].update(state)
    return {id(p) for p in new}


def refuse_other_shape(optimizer, shape, name, t):
    """Refuse state of another shape than a parameter asks for."""
    step = f"{type(optimizer).__name__}.step()"
    if not isinstance(t, TensorBase):
        raise TypeError(f"{step} needs a tensor as {name} in the state of a parameter, but got {type(t).__name__}; "
                        "load a state dict of the same optimizer")
    if tuple(t.shape) != tuple(shape):
        raise RuntimeError(f"{step} needs {name} of shape {tuple(shape)} in the state of a parameter, but got shape "
                           f"{tuple(t.shape)}; load the state dict of an optimizer of the same parameters in the same "
                           "order")


def refuse_no_number(optimizer, name, t):
    """Refuse state that is no tensor of one number."""
    if not isinstance(t, TensorBase) or t.numel() != 1:
        given = f"shape {tuple(t.shape)}" if isinstance(t, TensorBase) else type(t).__name__
        raise TypeError(f"{type(optimizer).__name__}.step() needs a tensor of one number as {name} in the state of a "
                        f"parameter, but got {given}; load a state dict of the same optimizer")


class Operand:
    """All elements of several arrays as one flat array: their own memory where it is one piece, else a copy."""

    __slots__ = ("arrays", "copy", "real", "whole")

    def __init__(self, arrays, own=True):
        self.arrays = arrays
        dtype = arrays[0].dtype
        self.whole = one_piece(arrays) if own else None
        self.copy = None
        if self.whole is None:
            ends = np.cumsum([a.size for a in arrays]).tolist()
            self.whole = np.empty(ends[-1], dtype)
            self.copy = [self.whole[end - a.size : end].reshape(a.shape) for a, end in zip(arrays, ends)]
        self.real = self.whole.view(self.whole.real.dtype) if dtype.kind == "c" else self.whole

    def load(self):
        """Copy from the arrays, where this is a copy."""
        if self.copy is not None:
            for view, array in zip(self.copy, self.arrays):
                view[...] = array

    def alike(self):
        """Tell whether all elements are the same."""
        return len(set(self.whole.tolist() if self.copy is None else map(float, self.arrays))) == 1

    def store(self):
        """Copy to the arrays, where this is a copy, and count the write."""
        if self.copy is not None:
            for view, array in zip(self.copy, self.arrays):
                array[...] = view
            for array in self.arrays:
                versions.bump(array)
        else:
            versions.bump(self.whole)


def one_piece(arrays):
    """One flat view of arrays that lie one after the other in one memory, or None."""
    first = arrays[0]
    if not all(a.flags.c_contiguous for a in arrays):
        return None
    if len(arrays) == 1:
        return first.reshape(-1)
    root = versions.root_of(first)
    if root.ndim != 1 or not root.flags.c_contiguous or root.dtype != first.dtype:
        return None
    start = address = first.ctypes.data
    for a in arrays:
        if versions.root_of(a) is not root or a.ctypes.data != address:
            return None
        address += a.nbytes
    start = (start - root.ctypes.data) // root.itemsize
    return root[start : start + sum([a.size for a in arrays])]


class Run:
    """Parameters of one dtype that take one pass together: they have been through the same steps."""

    def __init__(self, params, states, slots, numbers, fresh):
        self.params = params
        self.fresh = fresh  # whether this is their first step
        self.p = Operand([p.value for p in params])
        self.g = Operand(self.p.arrays, own=False) if len(params) > 1 else None
        self.states = [Operand([s[name].value for s in states]) for name in slots]
        self.numbers = {name: Operand([s[name].value for s in states]) for name in numbers}
        self.operands = [self.p, *self.states]
        self.copied = [x for x in self.operands if x.copy is not None]
        self.arrays = [self.p.real, None, *[x.real for x in self.states]]
        n = self.p.real.size
        parts = max(1, -(-n // BLOCK))
        edges = [n * k // parts for k in range(parts + 1)]
        self.edges = None if parts < 2 else list(zip(edges, edges[1:]))

    def prepared(self, optimizer, group):
        """The numbers of the step, once those of the state are counted on."""
        found = {}
        for name, operand in self.numbers.items():
            operand.load()
            found[name] = operand.whole
        h = optimizer.prepare(group, found, self.fresh)
        for operand in self.numbers.values():
            operand.store()
        return h

    def apply(self, formula, h, grads):
        """Take the step, block by block."""
        for operand in self.copied:
            operand.load()
        arrays = self.arrays
        arrays[1] = self.gradients(grads)
        if self.edges is None:
            formula(np, h, *arrays)
        else:
            for i, j in self.edges:
                formula(np, h, *[a[i:j] for a in arrays])
        for operand in self.operands:
            operand.store()

    def gradients(self, grads):
        """The gradients as one flat array of real numbers."""
        if self.g is None:
            (g,) = grads
            g = g.value.reshape(-1)  # a copy, where it is not one piece
            return g.view(g.real.dtype) if g.dtype.kind == "c" else g
        for view, g in zip(self.g.copy, grads):
            view[...] = g.value
        return self.g.real

    def alike(self):
        """Tell whether the numbers of all parameters are still the same."""
        return len(self.params) == 1 or all(x.alike() for x in self.numbers.values())


def joins(params, states, chosen, i, numbers, fresh):
    """Tell whether a parameter can be computed together with those before it: small, alike, and in memory of its
    own."""
    a, others = params[i].value, [params[k].value for k in chosen]
    first = states[chosen[0]]
    return (a.size <= SMALL and others[0].size <= SMALL and a.dtype == others[0].dtype
            and (id(params[i]) in fresh) == (id(params[chosen[0]]) in fresh)
            and all(float(states[i][n].value) == float(first[n].value) for n in numbers)
            and not any(versions.root_of(a) is versions.root_of(b) for b in others)
            and sum([b.size for b in others]) + a.size <= 4 * SMALL)


class Plan:
    """The runs of one group of parameters, for as long as parameters and state are the same tensors and arrays."""

    def __init__(self, optimizer, group, params):
        slots, numbers = optimizer.slots(group), optimizer.numbers(group)
        self.slots = slots.keys()
        names = (*slots, *numbers)
        fresh = completed(optimizer, params, slots, numbers, optimizer.bundled(group))
        states = [optimizer.state.get(p) for p in params]
        self.params = params
        self.held = [(p, p.value, state, [(name, state[name], state[name].value) for name in names])
                     for p, state in zip(params, states)]
        self.runs = []  # (run, what picks what belongs to its parameters from a list)
        self.cut(params, states, slots, numbers, fresh, optimizer.bundled(group))

    def cut(self, params, states, slots, numbers, fresh, bundled):
        """Make the runs, of parameters that follow each other."""
        start = 0
        for i in range(1, len(params) + 1):
            if i < len(params) and bundled and joins(params, states, range(start, i), i, numbers, fresh):
                continue
            run = Run(params[start:i], states[start:i], slots, numbers, id(params[start]) in fresh)
            self.runs.append((run, operator.itemgetter(slice(start, i))))
            start = i

    def holds(self, optimizer, group, params):
        """Tell whether it is still about these tensors and arrays, and about what options ask of the state."""
        if len(params) != len(self.params) or not all(map(operator.is_, params, self.params)) or (
                optimizer.slots(group).keys() != self.slots):
            return False
        for p, array, state, tensors in self.held:
            if p.value is not array or optimizer.state.get(p) is not state:
                return False
            for name, t, below in tensors:
                if state.get(name) is not t or t.value is not below:
                    return False
        return all(run.alike() for run, _ in self.runs)

    def step(self, optimizer, group, grads):
        """Take a step of every run."""
        token = error_state()
        try:
            suppress_fp_warnings()
            of = None  # whose numbers `h` holds: without state that is a number, of all runs that are as fresh
            for run, pick in self.runs:
                if of != run.fresh or run.numbers:
                    of = run.fresh
                    h = run.prepared(optimizer, group)
                run.fresh = False
                run.apply(optimizer.formula, h, pick(grads))
        finally:
            restore_fp_warnings(token)


def unique(params):
    """The tensors of a list, each once."""
    return list({id(p): p for p in params}.values())


def lies_alone(t):
    """Tell whether a tensor is an array of its own, on any device, and nothing but no_grad or a default device in
    force."""
    return (undisturbed() and stands_alone(t) and type(t.value) in ARRAYS and writeable(t.value)
            and t.value.dtype.kind in "fc")


def memory(optimizer, p):
    """The array of a parameter that a step of whole arrays writes to, or a refusal."""
    if p.dtype is bfloat16:
        raise NotImplementedError(f"{type(optimizer).__name__}.step() computes in the dtype of its parameters, but got "
                                  f"one of shape {tuple(p.shape)} of {p.dtype}, in which NumPy does not compute; "
                                  "convert the parameters with .float() or .double()")
    if not lies_alone(p):
        raise NotImplementedError(f"{type(optimizer).__name__}.step() computes on the memory of its parameters, but "
                                  f"got one of shape {tuple(p.shape)} that a transform or a mode stands over; take the "
                                  "step outside of it, or use an optimizer with differentiable=True")
    return p.value
