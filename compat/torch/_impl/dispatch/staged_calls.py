"""Calls staged to graphs: their bodies on boxes, and whether a program gives what the body gave."""

import numpy as np

from .....extend import aval_of
from ..graph.node_data import visible
from ..modes.warnings import INSTEAD, error_state, restore_fp_warnings, suppress_fp_warnings
from ..staged.recorder import Unfit
from ..types.bfloat16 import in_single, wants_single
from ..types.dtypes import bfloat16, dtype as Dtype
from ..types.tensor_type import TensorBase
from .call_key import NESTS
from .signatures import check, synonyms

ndarray = np.ndarray
LARGE = 1 << 20  # elements: an operation on more costs far more than the road to it
KEPT = 64  # programs of an operation; if there are more, all are dropped
PATIENCE = [1]  # how often a call is seen before its program, which gives the same bits, is worth its making


class Missed:
    """A call that no fast road takes; `after` the general one, which gave `answer`, it may make its program."""

    __slots__ = ("key", "make", "programs")

    def __init__(self, programs=None, key=None, make=None):
        self.programs = programs
        self.key = key
        self.make = make

    def after(self, answer):
        """The output of the general road; `make(answer)` gives the program of the next calls, None where there is
        none."""
        if self.make is None:
            return answer
        program = None
        token, before = error_state(), INSTEAD.get()
        try:
            suppress_fp_warnings()
            INSTEAD.set(Unfit)
            program = self.make(answer)
        except NotImplementedError:  # Unfit; a function of NumPy's that refuses boxes in its own words
            pass
        finally:
            try:
                INSTEAD.set(before)
            finally:
                restore_fp_warnings(token)
        self.programs[self.key] = program
        return answer


MISSED = Missed()  # which makes nothing


def missed(programs, key, make):
    """A call whose key has no program among those of an operation: one is made where the key comes again."""
    seen = programs.get(key, 0)
    if seen is None:
        return MISSED
    if len(programs) >= KEPT:
        programs.clear()
    if seen >= PATIENCE[0]:
        return Missed(programs, key, make)
    programs[key] = seen + 1
    return MISSED


def staged(recorder, row, args, kwargs, tensors, shown=None):
    """Stage the body of a call on boxes: its output, the arguments as it takes them, and their signature.

    `shown` gives what the body sees of a box.
    """
    boxes = [recorder.input(aval_of(t.value), t.value) for t in tensors]
    boxes = iter(boxes if shown is None else map(shown, boxes))
    given = boxed(args, boxes)
    named = synonyms(row.name, dict(zip(kwargs, boxed(kwargs.values(), boxes))))
    placed, others, way = check(row, args, kwargs)
    if count_of((*placed, *others.values())) < len(tensors):  # a size or an axis is an element of one
        raise Unfit
    given += [named.pop(p.name) for p in way.parameters[len(args):len(placed)]] if way is not None else []
    halves = any(t.dtype is bfloat16 for t in tensors) and wants_single(row, given, named)
    answer = in_single(row.body, given, named) if halves else row.body(*given, **named)
    if recorder.library is None and len(recorder.equations) > 1 and any(
            np.size(recorder.values[v]) > LARGE for eq in recorder.equations
            if not getattr(eq.prim, "view", False) for v in eq.outputs):
        raise Unfit
    return answer, given, named, way


def count_of(args):
    """The number of tensors among arguments."""
    return sum([count_of(a) if type(a) in NESTS else isinstance(a, TensorBase) for a in args])


def boxed(args, boxes):
    """Arguments as a body takes them, with the next boxes in place of tensors."""
    return [next(boxes) if isinstance(a, TensorBase) else a.numpy if type(a) is Dtype else
            type(a)(boxed(a, boxes)) if type(a) in NESTS else a for a in args]


def alike(a, b):
    """Tell whether two tensors have the same elements in the same places, and histories of the same name."""
    x, y = a.value, b.value
    return (x.dtype is y.dtype and x.shape == y.shape and x.strides == y.strides and same(x, y)
            and (a.node is None) is (b.node is None) and (a.node is None or shown(a) == shown(b)))


def same(x, y):
    """Tell whether two arrays have the same elements, NaN in the same places."""
    return x.tobytes() == y.tobytes() if x.dtype.kind == "V" else bool(((x == y) | (x != x) & (y != y)).all())


def shown(t):
    """torch's name of the node of a tensor."""
    return visible(t.node)[0].name()


def tensors_of(answer):
    """The tensors of an output, in order."""
    if not isinstance(answer, tuple):
        return [] if answer is None else [answer]
    return [t for v in answer for t in tensors_of(v)]
