"""Compiled functions on GPU arrays: kernels through `RawModule`, replayed by a CUDA graph."""

import re
from functools import partial
from math import prod
from threading import Lock
from typing import NamedTuple

import numpy as np

from ....core.arrays.backend import SCALARS, find_backend, namespace_of
from ....core.errors import BackendError, at_user_line
from ....core.types import Any
from ...graph.equations import Draft, Literal, Var, located, rewritten, walk
from ..loops.statements import KINDS
from ..lower.lowering import inlined, is_any_call
from ..program import optimised
from .launch_plan import Launch, Plan, without_library
from .staged import Named, Staged, products

_SCALARS = (*SCALARS, np.generic)
_REPLAYS = 4  # recordings of one program: of as many devices and streams
# Microseconds of the processor: a launch through CuPy, that of a recording, and a copy of an argument or a result; and
# bytes that a device copies in one of its own.
_LAUNCH, _REPLAY, _COPY, _BYTES = 5.0, 6.0, 3.0, 1e6


def cuda(program):
    """`(text, function)` of a program; the function takes arrays of CuPy."""
    program.any_layout = True
    made = DeviceProgram(program.graph, program.name, program.own)
    return made.text, made.run


class DeviceProgram:
    """A graph as kernels and calls of a library between them.

    Args:
        graph: a `Graph`; name: of the user's function.
        own: whether outputs may share no memory with inputs, constants or each other.
    """

    def __init__(self, graph, name, own):
        self.plan, self.constants, self.calls = device_plan(graph, re.sub(r"\W", "", name, flags=re.ASCII) + "_cuda")
        self.own = own
        self.text = self.plan.source + "".join([f"// {step}\n" for step in self.plan.steps])
        self.arrays = {name: (shape, np.dtype(dtype)) for name, (shape, dtype) in self.plan.arrays.items()}
        steps, copied = self.plan.steps, [self.arrays[v] for v in (*self.plan.inputs, *self.plan.outputs)
                                          if type(v) is str and v in self.arrays]
        self.replayed = all(type(step) is Launch for step in steps) and _LAUNCH * len(steps) > (
            _REPLAY + _COPY * len(copied) + sum([prod(shape) * dtype.itemsize for shape, dtype in copied]) / _BYTES)
        self.loaded = {}  # library -> its kernels by name, and the `_Steps`
        self.replays = {}
        self.lock = Lock()

    def run(self, *values):
        """The outputs, as a list, for arrays of CuPy and numbers."""
        values = (*values, *self.constants)
        xp = namespace_of(values)
        kernels, steps = self.loaded.get(xp) or self.load(xp, values)
        if not self.replayed:
            return steps(values)
        key = xp.cuda.Device().id, xp.cuda.get_current_stream().ptr
        with self.lock:
            replay = self.replays.get(key)
            if replay is not None:
                return replay(values)
            out = steps(values)  # the first time: a kernel must be loaded before it is recorded
            if len(self.replays) >= _REPLAYS:
                self.replays.clear()
            self.replays[key] = _Replay(xp, self.plan, self.arrays, kernels)
            return out

    def load(self, xp, values):
        """Compile the kernels for the library of values."""
        if not hasattr(xp, "RawModule"):
            given = next((v for v in values if type(v) not in SCALARS), values[0] if values else None)
            backend = find_backend(type(given))
            raise BackendError(f"jit was asked for CUDA kernels, which run on arrays of CuPy, but got "
                               f"{'numbers' if backend is None else f'arrays of {backend[0].name}'}; convert them with "
                               f"cupy.asarray, or leave the printer out{at_user_line()}")
        names = [step.kernel for step in self.plan.steps if type(step) is Launch]
        kernels = {}
        if names:
            module = xp.RawModule(code=self.plan.source)
            kernels = {name: module.get_function(name) for name in names}
        found = self.loaded[xp] = kernels, _Steps(xp, self, kernels)
        return found


class _Steps:
    """The outputs of a plan, as a list, one step after the other, each time in memory of their own."""

    def __init__(self, xp, program, kernels):
        plan, arrays = program.plan, program.arrays
        self.xp, self.kind, self.empty = xp, xp.ndarray, xp.empty
        self.places = {name: k for k, name in enumerate(plan.inputs)}
        self.fresh = []  # (shape, dtype) of memory that kernels write to
        self.steps: list[Any] = []
        ours, seen = set(), set()  # names of what nobody else has, and of what lies as kernels take it
        for at, step in enumerate(plan.steps):
            if type(step) is not Launch:
                eq = program.calls[at]
                given = [(self.places[a], None) if type(a) is str else (None, a) for a in step.arguments]
                self.steps.append(partial(self.call, eq, given, [self.place(name) for name in step.results]))
                if not (eq.prim.view or eq.bodies()):  # a view, or a branch that gives what it is given, is not ours
                    ours.update(step.results)
                continue
            made = [name for name in dict.fromkeys(step.arguments) if name not in self.places]
            ours.update(made)
            seen.update(made)
            self.fresh += [(self.place(name), *arrays[name]) for name in made]
            given = [(self.places[name], *arrays[name]) for name in step.arguments if name not in seen]
            seen.update(step.arguments)
            self.steps.append(partial(self.launch, kernels[step.kernel], (step.grid,), (step.block,), given, [
                self.places[name] for name in step.arguments]))
        self.outs: Any = []  # (place or None, value without one, whether it is copied)
        for name in plan.outputs:
            known = type(name) is str
            self.outs.append((self.places[name] if known else None, name, program.own and name not in ours if known else
                              program.own and isinstance(name, np.ndarray)))
            ours.discard(name if known else None)

    def place(self, name):
        """The place of an array, or of what an operation gives, among those that are there."""
        return self.places.setdefault(name, len(self.places))

    def __call__(self, values):
        there = [*values, *[None] * (len(self.places) - len(values))]
        for k, shape, dtype in self.fresh:
            there[k] = self.empty(shape, dtype)
        ready = list(there)  # what kernels are given
        for step in self.steps:
            step(there, ready)
        outs = []
        for k, value, copied in self.outs:
            if k is not None:
                value = there[k]
            outs.append(value.copy() if copied and not isinstance(value, _SCALARS) else value)
        return outs

    def launch(self, kernel, grid, block, given, places, there, ready):
        """Run a kernel, on the current stream, in order: none waits for the processor."""
        for k, shape, dtype in given:
            x = ready[k]
            if type(x) is not self.kind or x.dtype != dtype or not x.flags.c_contiguous:
                ready[k] = _ready(self.xp, x, shape, dtype)
        kernel(grid, block, tuple([ready[k] for k in places]))

    def call(self, eq, given, results, there, ready):
        """Run an operation of a library."""
        operands = [there[k] if k is not None else self.xp.asarray(a) if type(a) is np.ndarray else a
                    for k, a in given]
        try:
            found = eq.prim.rebind((*operands, *eq.params))
        except Exception as error:
            raise located(error, eq) from None
        for k, x in zip(results, (found,) if eq.prim.outputs is None else found, strict=True):
            there[k] = ready[k] = x


class _Replay:
    """The launches of a plan on arrays of its own, recorded; used by one thread at a time, on one stream."""

    def __init__(self, xp, plan, arrays, kernels):
        self.plan = plan
        self.empty = xp.empty
        self.arrays = {name: xp.empty(shape, dtype) for name, (shape, dtype) in arrays.items()}
        stream = xp.cuda.Stream(non_blocking=True)
        with stream:
            stream.begin_capture()  # nothing runs yet: what is launched is noted
            try:
                for step in plan.steps:
                    kernels[step.kernel]((step.grid,), (step.block,), tuple([self.arrays[a] for a in step.arguments]))
            finally:
                self.graph = stream.end_capture()

    def __call__(self, values):
        arrays = self.arrays
        for name, value in zip(self.plan.inputs, values, strict=True):
            _copy(value, arrays[name])
        self.graph.launch()
        outs = []
        for name in self.plan.outputs:
            if type(name) is str:
                there = arrays[name]
                name = self.empty(there.shape, there.dtype)
                _copy(there, name)
            outs.append(name)
        return outs


def _copy(value, target):
    """Write a value to an array that lies in C order; on the stream, and where bytes are copied without a kernel."""
    if type(value) is type(target) and value.dtype == target.dtype and value.shape == target.shape and (
            value.flags.c_contiguous):
        target.data.copy_from_device_async(value.data, target.nbytes)
    else:
        target[...] = value


def _ready(xp, value, shape, dtype):
    """A value as a kernel takes it: on the device, in C order, of its dtype."""
    if isinstance(value, _SCALARS):
        return xp.full(shape, value, dtype)
    return xp.ascontiguousarray(value, dtype)


# The execution plan of a compiled function on a GPU: the kernels of `export_cuda` and the calls in between.

_PLAIN = (bool, int, float, complex, np.generic, np.ndarray)


class DevicePlan(NamedTuple):
    """The parts of a program: the `ExportedCuda`, the arrays that follow the arguments, and the operations of calls."""

    exported: Any
    constants: list[Any]
    calls: dict[int, Any]  # by the number of the step


def device_plan(graph, name):
    """The `DevicePlan` of a graph, whose arguments lie in C order."""
    draft, constants = _without_constants(inlined(graph, is_any_call))  # text holds numbers of NumPy alone
    draft = optimised(draft, frozenset(draft.inputs))
    known = products(draft, without_library)
    for eq in draft.equations:
        if any(_is_foreign(v) for body in eq.graphs() for part in walk(body.equations) for v in part.inputs):
            known[eq] = False  # a body has no operand for an array of a device
    plan = _DevicePlan(Staged(draft, known, _named(draft.inputs, "given"), _named(draft.outputs, "out")), name)
    return DevicePlan(plan.exported(), constants, plan.calls)


class _DevicePlan(Plan):
    """A plan whose calls may be loops and branches, too, and whose arguments and results have any dtype."""

    def __init__(self, found, name):
        super().__init__(found, name)
        self.calls = {}
        self.loops = {eq.outputs[0]: eq for eq in found.draft.equations if eq.bodies() and eq.outputs}

    def is_whole(self, draft, known):
        return super().is_whole(draft, known) and all(
            v.aval.dtype in KINDS and v.aval.dtype.isnative and v.aval.size and not v.aval.weak
            for v in (*draft.inputs, *draft.outputs))

    def call(self, eq, known):
        if eq.bodies() and eq.outputs:
            eq = self.loops[eq.outputs[0]]  # without the segments that were found inside
        self.calls[len(self.steps)] = eq
        self.add_call(eq)


def _is_foreign(v):
    """Tell whether an operand is a constant that is an array of another library than NumPy."""
    return type(v) is Literal and not isinstance(v.value, _PLAIN)


def _without_constants(draft):
    """A draft that takes such constants after its arguments, and these."""
    found = {}

    def now(v):
        return found.setdefault(id(v.value), (Var(v.aval), v.value))[0] if _is_foreign(v) else v

    equations = [rewritten(eq, [now(v) for v in eq.inputs]) for eq in draft.equations]
    outputs = [now(v) for v in draft.outputs]
    return (Draft([*draft.inputs, *[v for v, _ in found.values()]], equations, outputs),
            [value for _, value in found.values()])


def _named(values, root):
    """Names of arguments and results."""
    return [Named(f"{root}{k}", f"{root}[{k}]", v.aval) for k, v in enumerate(values)]
