"""Moving elements without computing: reshape, transpose, broadcast, concatenate, pad, flip, real and imaginary part."""

from functools import lru_cache
from itertools import accumulate

import numpy as np

from ..arrays.avals import make_aval
from ..arrays.dtypes import complex_dtype, result_dtype
from ..errors import ShapeError, at_user_line
from ..primitive.call_lanes import joining_lane
from ..primitive.families import elementwise, joint, linear, primitive
from ..primitive.primitive import RAW
from ..tape.unbroadcast import unbroadcast
from ..trace.device import constant
from .dependence import ELEMENTS, MOVED
from .running_loops import TRIANGLE
from .samples import Sample, arrays, together, unary
from .selection import complex_direction, direction, sign, times_complex_direction, times_direction, where

ndarray = np.ndarray


def _reshape_shape(x, shape):
    size = 1
    for n in shape:
        size *= n
    if size != x.size:
        raise ShapeError(f"reshape cannot turn shape {x.shape} ({x.size} elements) into {tuple(shape)} "
                         f"({size} elements); -1 stands for the length that follows from the others{at_user_line()}")
    return make_aval(tuple(shape), x.dtype)


reshape = linear(
    "reshape",  # shape: complete, without -1
    impl=lambda xp, x, *, shape: x.reshape(shape) if hasattr(x, "reshape") else xp.reshape(x, shape),
    transpose=lambda ct, x_aval: reshape(ct, x_aval.shape),
    exact=True,
    shape=_reshape_shape,
    batch_params=lambda shape, size: ((size, *shape),),
    view=True,
    rearranges=True,
    written="{x}.reshape({shape})",
    unview=lambda x, part, shape: reshape(part, x.shape),
    copies=True,
    moves=True,
    depends=MOVED,
    samples=together(arrays((2, 3), shape=(3, 2)), arrays((), shape=(1, 1)), arrays((0, 3), shape=(3, 0, 2))),
)
transpose = linear(
    "transpose",
    impl=lambda xp, x, *, axes: x.transpose(axes) if type(x) is ndarray else xp.transpose(x, axes),
    transpose=lambda ct, axes: transpose(ct, axes if len(axes) == 2 else inverse_permutation(axes)),
    exact=True,
    shape=lambda x, axes: make_aval(tuple(x.shape[a] for a in axes), x.dtype),
    batch_params=lambda axes: ((0, *[a + 1 for a in axes]),),
    view=True,
    rearranges=True,
    written="{x}.transpose({axes})",
    unview=lambda x, part, axes: transpose(part, inverse_permutation(axes)),
    moves=True,
    depends=MOVED,
    samples=together(arrays((2, 3, 4), axes=(2, 0, 1)), arrays((), axes=()), arrays((0, 2), axes=(1, 0))),
)


def inverse_permutation(axes):
    """The axes that undo a transpose by `axes`."""
    inverse = [0] * len(axes)
    for i, a in enumerate(axes):
        inverse[a] = i
    return tuple(inverse)


def _broadcast(xp, x, shape):
    """A view with zero strides: 0.2 us against 2.2 for `np.broadcast_to`. Never returned to a user as it is."""
    if xp is not np:
        return xp.broadcast_to(x, shape)
    if type(x) is not ndarray:
        x = np.asarray(x)
    if not x.ndim:
        out = ndarray(shape, x.dtype, x, 0, (0,) * len(shape))
        # Elements share memory, so a write would change many at once: as `np.broadcast_to` has it.
        out.setflags(write=False)
        return out
    lead = len(shape) - x.ndim
    if lead < 0 or not x.flags.c_contiguous:
        return np.broadcast_to(x, shape)
    strides = [0] * lead
    for n, want, stride in zip(x.shape, shape[lead:], x.strides):
        if n != want and n != 1:
            return np.broadcast_to(x, shape)
        strides.append(0 if n != want else stride)
    out = ndarray(shape, x.dtype, x, 0, tuple(strides))
    out.flags.writeable = False
    return out


def _broadcast_shape(x, shape):
    try:
        fits = np.broadcast_shapes(x.shape, shape) == tuple(shape)
    except ValueError:
        fits = False
    if not fits:
        raise ShapeError(f"broadcast_to cannot broadcast shape {x.shape} to {tuple(shape)}; "
                         f"each axis must be equal or 1, counted from the last{at_user_line()}")
    return make_aval(tuple(shape), x.dtype)


broadcast_to = linear(
    "broadcast_to",
    impl=lambda xp, x, *, shape: _broadcast(xp, x, shape),
    transpose=lambda ct, x_aval: unbroadcast(ct, x_aval.shape),
    shape=_broadcast_shape,
    batch=lambda x, shape, size: broadcast_to(
        reshape(x, shape=(size,) + (1,) * (len(shape) - x.ndim + 1) + tuple(x.shape[1:])), shape=(size, *shape)
    ),
    batch_params=lambda shape, size: ((size, *shape),),
    view=True,
    rearranges=True,
    unview=lambda x, part, shape: refuse_write("what broadcast_to gives"),
    depends=MOVED,
    samples=together(arrays((3,), shape=(2, 3)), arrays((2, 1), shape=(4, 2, 3)), arrays((), shape=(0, 2)),
                     arrays((1,), shape=(0,))),
)


def refuse_write(what):
    """Raise for an in-place write to a view that NumPy makes read-only."""
    raise ValueError(f"an in-place write met {what}, which is read-only, as in NumPy; write to a copy{at_user_line()}")


def expand(ct, x_aval, axes, keepdims):
    """The transpose of a sum over `axes`: `ct` repeated to the shape of the operand."""
    # Axes summed away in front come back by broadcasting alone.
    if not keepdims and ct.ndim and axes != tuple(range(len(axes))):
        ct = ct.reshape(tuple(1 if i in axes else n for i, n in enumerate(x_aval.shape)))
    return _broadcast(np, ct, x_aval.shape) if type(ct) in RAW else broadcast_to(ct, x_aval.shape)


def _concatenate_shape(xs, axis):
    first = xs[0]
    for x in xs[1:]:
        if x.ndim != first.ndim or any(a != b for i, (a, b) in enumerate(zip(x.shape, first.shape)) if i != axis):
            raise ShapeError(f"concatenate along axis {axis} needs equal shapes elsewhere, but got "
                             f"{', '.join(str(x.shape) for x in xs)}; reshape or broadcast them before"
                             f"{at_user_line()}")
    shape = list(first.shape)
    shape[axis] = sum(x.shape[axis] for x in xs)
    return make_aval(tuple(shape), result_dtype(*xs))


def _concatenate_jvp(dxs, xs, axis, ans):
    dtype = ans.dtype
    parts = [constant(_zeros(x.shape, dtype), ans) if dx is None else dx for dx, x in zip(dxs, xs)]
    return concatenate(*parts, axis=axis)


def _zeros(shape, dtype):
    """Zeros without memory of their own: one element, broadcast."""
    return np.broadcast_to(np.zeros((), dtype), shape)


@joint
def _concatenate_vjp(ct, active, xs_aval, axis):
    before = (slice(None),) * axis
    ends = list(accumulate([a.shape[axis] for a in xs_aval], initial=0))
    return [ct[(*before, slice(ends[i], ends[i + 1]))] for i in active]


def slice_axis(x, axis, start, stop):
    """`x[start:stop]` along one axis."""
    return x[(slice(None),) * axis + (slice(start, stop),)]


concatenate = primitive(
    "concatenate",
    impl=lambda xp, *xs, axis: xp.concatenate(xs, axis=axis),
    shape=_concatenate_shape,
    jvp={"*xs": _concatenate_jvp},
    vjp={"*xs": _concatenate_vjp},
    batch=lambda xs, axis, batched, size: concatenate(
        *[x if b else broadcast_to(x, shape=(size, *x.shape)) for x, b in zip(xs, batched)], axis=axis + 1
    ),
    zeros="back",
    linear=("*xs",),
    lane=joining_lane,
    moves=True,
    depends=MOVED,
    samples=together(
        arrays((2, 3), (1, 3), (0, 3), axis=0),
        arrays((2, 1), (2, 2), axis=1),
        arrays((2,), axis=0),
        lambda rng: [Sample(rng.normal(size=2).astype(np.float32), rng.normal(size=2), params={"axis": 0})],
    ),
)


def _stack(xp, xs, axis):
    """The rows side by side; `np.stack` takes 2.3 us for two numbers, `np.array` 0.2, and 0.5 for each of many arrays,
    which `np.concatenate` puts together in 0.05. It compares all axes but the first; a length is asked for in half
    the time of a shape.
    """
    if xp is np and not axis:
        try:
            if len(set(map(len, xs))) == 1:
                return np.concatenate(xs).reshape((len(xs), *xs[0].shape))
        except TypeError:  # a number
            if not any(getattr(x, "shape", ()) for x in xs):
                return np.array(xs)
        except ValueError:  # other axes differ
            pass
    return xp.stack(xs, axis=axis)


def _stack_shape(xs, axis):
    first = xs[0]
    for x in xs[1:]:
        if x.shape != first.shape:
            raise ShapeError(f"stack needs arrays of one shape, but got {first.shape} and {x.shape}; "
                             f"reshape or pad them before{at_user_line()}")
    return make_aval((*first.shape[:axis], len(xs), *first.shape[axis:]), result_dtype(*xs))


def _stack_jvp(dxs, xs, axis, ans):
    parts = [constant(_zeros(x.shape, ans.dtype), ans) if dx is None else dx for dx, x in zip(dxs, xs)]
    return stack(*parts, axis=axis)


def _stack_batch(xs, axis, batched, size):
    rows = [x if b else broadcast_to(x, shape=(size, *getattr(x, "shape", ()))) for x, b in zip(xs, batched)]
    return stack(*rows, axis=axis + 1)


@joint
def _stack_vjp(ct, active, axis):
    before = (slice(None),) * axis
    return [ct[(*before, i)] if axis else ct[i] for i in active]


stack = primitive(
    "stack",  # arrays of one shape along a new axis
    impl=lambda xp, *xs, axis: _stack(xp, xs, axis),
    shape=_stack_shape,
    jvp={"*xs": _stack_jvp},
    vjp={"*xs": _stack_vjp},
    batch=_stack_batch,
    zeros="back",
    linear=("*xs",),
    lane=joining_lane,
    moves=True,
    depends=MOVED,
    samples=together(
        arrays((), (), (), axis=0),
        arrays((2, 3), (2, 3), axis=1),
        arrays((2,), (2,), axis=1),
        arrays((0,), (0,), axis=0),
        arrays((2,), axis=0),
        lambda rng: [Sample(rng.normal(size=2).astype(np.float32), rng.normal(size=2), params={"axis": 0})],
    ),
)


def _pad_slices(x_aval, widths):
    return tuple(slice(before, before + n) for n, (before, _) in zip(x_aval.shape, widths))


def _padded(xp, x, widths):
    """`np.pad` without its checks, which take 10 us."""
    if type(x) is not np.ndarray or len(widths) != x.ndim:
        return xp.pad(x, widths)
    out = np.zeros([n + a + b for n, (a, b) in zip(x.shape, widths)], x.dtype, "F" if x.flags.fnc else "C")
    out[_pad_slices(x, widths)] = x
    return out


pad = linear(
    "pad",  # widths: ((before, after), …) >= 0, one pair an axis; fills with zeros
    impl=lambda xp, x, *, widths: _padded(xp, x, widths),
    transpose=lambda ct, x_aval, widths: ct[_pad_slices(x_aval, widths)],
    shape=lambda x, widths: make_aval(tuple(n + a + b for n, (a, b) in zip(x.shape, widths)), x.dtype),
    batch=lambda x, widths: pad(x, widths=((0, 0), *widths)),
    zeros=True,
    moves=True,
    depends=MOVED,
    samples=together(arrays((2, 3), widths=((1, 0), (2, 1))), arrays((0,), widths=((1, 1),))),
    absent={"()": "there is no axis to pad"},
)
_WHOLE, _BACKWARDS = slice(None), slice(None, None, -1)


def _flipped(xp, x, axes):
    if max(axes, default=-1) >= x.ndim:
        return xp.flip(x, axes)  # which says what is wrong
    return x[tuple([_BACKWARDS if a in axes else _WHOLE for a in range(x.ndim)])]


flip = linear(
    "flip",
    impl=lambda xp, x, *, axes: _flipped(xp, x, axes),
    transpose=lambda ct, axes: flip(ct, axes=axes),
    shape=lambda x, axes: x,
    batch_params=lambda axes: (tuple(a + 1 for a in axes),),
    view=True,
    rearranges=True,
    unview=lambda x, part, axes: flip(part, axes),
    moves=True,
    depends=MOVED,
    samples=together(
        arrays((2, 3), axes=(0, 1)), arrays((2, 3), axes=(1,)), arrays((0,), axes=(0,)), arrays((), axes=())
    ),
)


def _triangle(xp, x, k, upper):
    if xp is np and x.shape[-2] * x.shape[-1] <= _SMALL:
        return np.where(_part_of_triangle(*x.shape[-2:], k, upper), x, x.dtype.type(0))
    return (xp.triu if upper else xp.tril)(x, k)


_SMALL = 1 << 12  # elements of a mask that is kept: to make one takes 3 us


@lru_cache(maxsize=64)
def _part_of_triangle(rows, columns, k, upper):
    mask = np.tri(rows, columns, k - upper, bool) != upper
    mask.flags.writeable = False
    return mask


triangle = linear(
    "triangle",  # what lies on the k-th diagonals of matrices and above (or below) them; zeros elsewhere
    impl=lambda xp, x, *, k, upper: _triangle(xp, x, k, upper),
    kernel=TRIANGLE,
    transpose=lambda ct, k, upper: triangle(ct, k=k, upper=upper),
    shape=lambda x, k, upper: x,
    batch=lambda x, k, upper: triangle(x, k=k, upper=upper),
    zeros=True,
    moves=True,
    depends=MOVED,
    samples=together(arrays((2, 3), k=0, upper=True), arrays((2, 3, 3), k=-1, upper=False),
                     arrays((0, 2), k=0, upper=False)),
    absent={"()": "a triangle is a part of matrices"},
)
optimization_barrier = linear(
    "optimization_barrier",  # the same, but for a compiler that looks for what is computed already
    impl=lambda xp, x: x,
    transpose=lambda ct: optimization_barrier(ct),
    shape=lambda x: x,
    batch=lambda x: optimization_barrier(x),
    identity=True,
    shares=True,
    depends=ELEMENTS,
    samples=unary(),
)
to_complex = linear(
    "to_complex",  # x + 0i: complex-valued from real
    impl=lambda xp, x, *, dtype: xp.asarray(x).astype(dtype),
    transpose=lambda ct: ct.real,
    shape=lambda x, dtype: make_aval(x.shape, np.dtype(dtype)),
    batch=lambda x, dtype: to_complex(x, dtype=dtype),
    depends=ELEMENTS,
    samples=lambda rng: [Sample(rng.normal(size=s), params={"dtype": np.dtype("c16")}) for s in ((), (3,), (0,))]
    + [Sample(rng.normal(size=3).astype(np.float32), params={"dtype": np.dtype("c8")}, tol=1e-2)],
    absent={"complex": "its operand is real"},
)
conjugate = linear(
    "conjugate",
    impl=lambda xp, x: xp.conj(x),
    transpose=lambda ct: conjugate(ct),  # real-linear: the transpose under Re<u, v> is the conjugate again
    shape=lambda x: make_aval(x.shape, np.dtype(np.int8)) if x.dtype.kind == "b" else x,
    batch=lambda x: conjugate(x),
    identity=True,
    depends=ELEMENTS,
    samples=unary(),
)


def _abs_d(x, ans):
    return direction(x) if x.dtype.kind != "c" else complex_direction(x, ans)


absolute = elementwise(
    "absolute",
    jvp={"x": lambda dx, x, ans: (dx * _abs_d(x, ans).conj()).real if x.dtype.kind == "c" else dx * direction(x)},
    vjp={"x": lambda ct, x, ans: ct * _abs_d(x, ans)},
    real_jvp={"x": lambda dx, x: dx * direction(x)},
    real_vjp={"x": lambda ct, x: ct * direction(x)},
    op=np.abs,
    chosen={"x": lambda ct, x: times_direction(ct, x) if x.dtype.kind != "c" else times_complex_direction(
        ct, x, absolute(x))},
    samples=together(unary(), lambda rng: [Sample(np.zeros(2), smooth=False, orders=1)]),
)


def signum(x):
    """`np.sign`: flat for real values, x / |x| for complex ones, with the derivative 0 chosen at 0."""
    if x.dtype.kind != "c":
        return sign(x)
    parts = x.real, x.imag
    far = [abs(part) == np.inf for part in parts]  # an infinite part is the direction; two have none
    flat = far[0] | far[1] | (x == 0)
    toward = [where(hit, sign(part), 0.0) for hit, part in zip(far, parts)]
    toward = where(far[0] & far[1], np.nan, toward[0] + 1j * toward[1])
    x = where(flat, 1.0, x)
    return where(flat, toward, x / absolute(x))


def complex_of(x):
    """`x` as complex; complex values as they are."""
    if x.dtype.kind == "c":
        return x
    return to_complex(x, dtype=complex_dtype(x.dtype))

