"""Lower Fourier transforms of pairs of real and imaginary parts to calls of NumPy's own loops."""

from math import log2, prod

import numpy as np

from ....core.ops.fourier import SWAPPED
from ..loops.define import within
from ..loops.statements import KINDS, Const, Place, UfuncCall, is_compact
from ..machine.blas import fourier_loop

_MOST = 1 << 12  # elements, from which on NumPy's functions call a library of transforms, which is faster
_SIZES = {"backward": lambda n: 1.0, "ortho": lambda n: 1.0 / np.sqrt(n), "forward": lambda n: 1.0 / n}


def _loop_of(eq):
    """`(loop, signature, length, scaling)` of a transform."""
    x, out = eq.inputs[0].aval, eq.outputs[0].aval
    axis, kind = eq.params[0], KINDS.get(x.dtype)
    norm = eq.params[-1]
    if x.ndim < out.ndim:  # of real numbers
        n = x.shape[axis]
        ufunc = "rfft_n_odd" if n % 2 else "rfft_n_even"
    elif x.ndim > out.ndim:
        n, ufunc, norm = out.shape[axis], "irfft", SWAPPED[norm]
    else:
        n, ufunc = x.shape[axis], "ifft" if eq.params[1] else "fft"
        norm = SWAPPED[norm] if eq.params[1] else norm
    found = fourier_loop(ufunc, kind)
    return found and (*found, n, _SIZES[norm](n))


def is_transform(eq, is_body):
    """Tell whether an equation is a short transform of strong floats."""
    aval = eq.inputs[0].aval
    return (not aval.weak and aval.dtype == eq.outputs[0].aval.dtype and 0 < aval.size < _MOST
            and _loop_of(eq) is not None)


def transform(writer, eq):
    """Call the loop, for all lines that lie side by side at once."""
    (v,), out, axis = eq.inputs, eq.outputs[0], eq.params[0]
    loop, signature, n, scaling = _loop_of(eq)
    body = within(writer)
    given, place = writer.place(v), writer.result(out)
    made = place if is_compact(place) else writer.new(place.shape, place.kind)
    factor = writer.stored(np.array([Const(float(scaling), place.kind)], object))
    rank = max(len(given.shape), len(made.shape))  # of pairs; real numbers have an axis less
    x, y = [_in_lines(p if is_compact(p) else writer.copied(p), axis, len(p.shape) == rank) for p in (given, made)]
    behind = x.shape[1]
    for t in body.range(x.shape[0]):
        body.statements.append(UfuncCall(loop, signature, [
            x.row(t.value), Place(factor.memory, (behind,), (0,)), y.row(t.value)]))
    writer.work += int(writer.repeat * 3 * x.size * log2(n + 1))
    if made is not place:
        writer.copy(made, place)
    writer.values[out] = place


def _in_lines(place, axis, paired):
    """A place as `(before, behind, along)`, without the axis of pairs, which lie side by side."""
    shape, one = (place.shape[:-1], 2) if paired else (place.shape, 1)
    before, n, behind = prod(shape[:axis]), shape[axis], prod(shape[axis + 1 :])
    return place.laid((before, behind, n), (n * behind * one, one, behind * one))
