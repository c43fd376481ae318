"""torch.masked: reductions and normalizations over the elements that a mask keeps."""

import numpy as np

from ..dispatch.call import ROWS
from ..types import dtypes
from ..types.tensor_type import TensorBase

where = ROWS["where"].fun


def fun(name):
    """The operation of a name."""
    return ROWS[name].fun


def extreme(sign):
    """The infinity of a sign, or what is nearest to it in a dtype; of booleans there is none."""

    def of(dtype):
        if dtype.is_floating_point or dtype.is_complex:
            return sign * np.inf
        if dtype.numpy == np.bool_:
            return None
        info = np.iinfo(dtype.numpy)
        return int(info.max if sign > 0 else info.min)

    return of


# What changes no output of a reduction, by dtype.
ZERO, ONE, LOWEST, HIGHEST = lambda dtype: 0, lambda dtype: 1, extreme(-1), extreme(1)


def prepared(input, mask, fill, dtype=None):
    """The input with a number in place of what the mask drops, in the dtype asked for."""
    input = input if dtype is None else input.to(dtype)
    if mask is None:
        return input
    if not isinstance(mask, TensorBase):
        raise AttributeError(f"'{type(mask).__name__}' object has no attribute 'layout'; mask must be Tensor or None")
    return where(mask, input, fill)


def neutralized(name, input, mask, neutral):
    """The input with what changes no output of a reduction in place of what the mask drops."""
    fill = neutral(input.dtype)
    if mask is not None and fill is None:
        raise NotImplementedError(f"identity of {name} on {input.dtype} input")
    return prepared(input, mask, fill)


def dims(input, dim):
    """The axes in order; None and () for all."""
    if dim is None or dim == ():
        return tuple(range(input.dim()))
    ndim, found = input.dim() or 1, []
    for d in (dim,) if isinstance(dim, int) else dim:
        if d in found:
            raise RuntimeError(f"dim={d} appears multiple times in the list of dims")
        if not -ndim <= d < ndim:
            raise IndexError(f"Dimension out of range (expected to be in range of [{-ndim}, {ndim - 1}], but got {d})")
        found.append(d % ndim)
    return tuple(sorted(found))


def wide(input, dtype):
    """Integers as int64, as sums and products count."""
    return dtypes.int64 if dtype is None and input.dtype.category < 2 else dtype


def reduction(name, neutral, apply=None, kind_of=lambda input, dtype: dtype):
    """`sum` and related functions: `apply` reduces the axes, `kind_of` gives the dtype to compute in."""
    apply = apply or fun(name)

    def reduce(input, dim=None, *, keepdim=False, dtype=None, mask=None):
        kind = kind_of(input, dtype)
        x = input if kind is None else input.to(kind)
        x = neutralized(name, x, mask, neutral)
        return apply(x, dims(input, dim), bool(keepdim)).to(x.dtype)

    reduce.__name__ = reduce.__qualname__ = name
    reduce.__doc__ = f"Reduce the elements selected by a mask by `{name}`."
    return reduce


def each_prod(x, axes, keepdim):
    """The product along one axis after another, the last one first."""
    for d in axes[::-1]:
        x = x.prod(d, keepdim=keepdim)
    return x


def position(name, neutral):
    """`argmax` and `argmin`."""

    def reduce(input, dim=None, *, keepdim=False, dtype=None, mask=None):
        x = input if dtype is None else input.to(dtype)
        return fun(name)(neutralized(name, x, mask, neutral), dim, keepdim).to(x.dtype)

    reduce.__name__ = reduce.__qualname__ = name
    reduce.__doc__ = f"Compute the `{name}` of the elements selected by a mask."
    return reduce


def running(name, neutral):
    """`cumsum` and `cumprod`."""

    def scan(input, dim, *, dtype=None, mask=None):
        x = input.to(input.dtype if dtype is None else dtype)
        return fun(name)(neutralized(name, x, mask, neutral), dims(x, dim)[0]).to(x.dtype)

    scan.__name__ = scan.__qualname__ = name
    scan.__doc__ = f"Compute the `{name}` along an axis of the elements selected by a mask."
    return scan


sum = reduction("sum", ZERO, kind_of=wide)  # noqa: A001 (torch's names)
prod = reduction("prod", ONE, each_prod, kind_of=wide)
amax, amin = reduction("amax", LOWEST), reduction("amin", HIGHEST)
logsumexp = reduction("logsumexp", LOWEST)
argmax, argmin = position("argmax", LOWEST), position("argmin", HIGHEST)
cumsum, cumprod = running("cumsum", ZERO), running("cumprod", ONE)


def counted(input, mask, dim, keepdim):
    """The number of elements that the mask keeps."""
    kept = input.new_ones(input.shape, dtype=dtypes.int64)
    kept = kept if mask is None else where(mask, kept, 0)
    return kept.sum(dims(input, dim), keepdim=bool(keepdim))


def mean(input, dim=None, *, keepdim=False, dtype=None, mask=None):
    """Average over the elements selected by a mask."""
    x = input if dtype is None else input.to(dtype)
    if not (x.is_floating_point() or x.is_complex()):
        raise ValueError("mean(): Could not infer output dtype. Input dtype must be either a floating point or complex "
                         f"dtype. Got: {x.dtype}")
    return sum(x, dim, keepdim=keepdim, mask=mask) / counted(x, mask, dim, keepdim)


def norm(input, ord=2.0, dim=None, *, keepdim=False, dtype=None, mask=None):  # noqa: A002
    """Compute the norm of the elements selected by a mask."""
    x = input.to(input.dtype if dtype is None else dtype)
    fill = np.inf if ord == -np.inf else 0.0
    return fun("linalg.vector_norm")(prepared(x, mask, fill), ord, dims(x, dim), bool(keepdim))


def spread(input, dim, unbiased, correction, keepdim, dtype, mask):
    """The variance of what the mask keeps."""
    if isinstance(dim, bool):
        dim, unbiased = None, dim
    if correction is None:
        correction = 1 if unbiased is None or unbiased else 0
    x = input if dtype is None else input.to(dtype)
    if x.dtype.category < 2:
        x = x.to(dtypes.Default.float)
    center = sum(x, dim, keepdim=True, mask=mask) / counted(x, mask, dim, True)
    gap = prepared(x - center, mask, 0)
    total = (gap * gap.conj()).sum(dims(x, dim), keepdim=bool(keepdim))
    count = counted(x, mask, dim, keepdim).to(x.real.dtype) - correction
    return total / fun("maximum")(count, count.new_zeros(()))


def var(input, dim=None, unbiased=None, *, correction=None, keepdim=False, dtype=None, mask=None):
    """Compute the variance of the elements selected by a mask."""
    return spread(input, dim, unbiased, correction, keepdim, dtype, mask)


def std(input, dim=None, unbiased=None, *, correction=None, keepdim=False, dtype=None, mask=None):
    """Compute the standard deviation of the elements selected by a mask."""
    return spread(input, dim, unbiased, correction, keepdim, dtype, mask).sqrt()


def median(input, dim=-1, *, keepdim=False, dtype=None, mask=None):
    """Compute the median of the elements selected by a mask."""
    x = input if dtype is None else input.to(dtype)
    if not x.is_floating_point() and mask is not None:
        raise ValueError(f"masked median expects a floating-point input where a mask drops elements, but got {x.dtype}")
    return fun("nanmedian")(prepared(x, mask, np.nan), dims(x, dim)[0], bool(keepdim)).values


def exponential(name, operation, fill):
    """`softmax` and related functions."""

    def normalized(input, dim, *, dtype=None, mask=None):
        x = input.to(input.dtype if dtype is None else dtype)
        return fun(operation)(prepared(x, mask, fill), dims(x, dim)[0])

    normalized.__name__ = normalized.__qualname__ = name
    normalized.__doc__ = f"Compute the `{name}` along an axis of the elements selected by a mask."
    return normalized


softmax = exponential("softmax", "softmax", -np.inf)
log_softmax = exponential("log_softmax", "log_softmax", -np.inf)
softmin = exponential("softmin", "nn.functional.softmin", np.inf)


def normalize(input, ord, dim, *, eps=1e-12, dtype=None, mask=None):  # noqa: A002
    """Divide by the norm of the elements selected by a mask."""
    x = input.to(input.dtype if dtype is None else dtype)
    size = norm(x, ord, dim, keepdim=True, mask=mask)
    return prepared(x, mask, 0) / fun("maximum")(size, size.new_full((), eps))


def logaddexp(input, other, *, dtype=None, input_mask=None, other_mask=None):
    """Compute `log(exp(input) + exp(other))` of the elements selected by masks."""
    dtype = input.dtype if dtype is None else dtype
    other = other.to(other.dtype)
    return fun("logaddexp")(prepared(input, input_mask, -np.inf), prepared(other, other_mask, -np.inf)).to(dtype)
