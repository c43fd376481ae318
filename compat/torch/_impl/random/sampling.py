"""Random tensors: generators of our own streams, of which only statistics match PyTorch's."""

import functools

import numpy as np

from ..dispatch.call import ROWS, attach
from ..dispatch.layouts import check_broadcast, laid_out
from ..dispatch.out_argument import Target
from ..dispatch.signatures import signed
from ..factories.creation import at_once, numpy_dtype, place_beside, plain_size, size_argument, sized, with_out
from ..types import dtypes
from ..types.devices import checked
from ..types.dtypes import type_word
from ..types.memory_formats import preserves
from ..types.tensor_type import FAST, Tensor, TensorBase, bottom, shape_dtype
from .generator import Generator, default_generator, stream
from .randomness import sample, with_node


def floating_kind(dtype, kernel, complex_too=True):
    """The NumPy dtype of numbers to draw, or torch's refusal of integers."""
    kind = numpy_dtype(dtype) if dtype is None or isinstance(dtype, dtypes.dtype) else dtype
    if kind.kind not in ("fcV" if complex_too else "fV"):
        raise NotImplementedError(f"\"{kernel}\" not implemented for '{type_word(kind)}'")
    return kind


def uniform(r, shape, kind):
    """Numbers in [0, 1) of a dtype; both parts of complex ones."""
    if kind.kind == "c":
        return (r.random(shape) + 1j * r.random(shape)).astype(kind)
    if kind.itemsize == 8:
        return np.asarray(r.random(shape))
    if kind.itemsize == 4:
        return np.asarray(r.random(shape, np.float32))  # whole numbers of 24 bits over 2**24
    bits = 11 if kind.kind == "f" else 8  # rounding a double could give 1
    return np.asarray(r.integers(0, 2**bits, shape) * 2.0**-bits).astype(kind)


def gaussian(r, shape, kind):
    """Standard normal numbers of a dtype; complex ones of variance 1."""
    if kind.kind == "c":
        return ((r.standard_normal(shape) + 1j * r.standard_normal(shape)) * 0.5**0.5).astype(kind)
    return np.asarray(r.standard_normal(shape)).astype(kind)


def factory(name, draw, kernel):
    """`rand` and related functions: sizes, and the arguments of every factory."""

    def make(*size, generator=None, out=None, dtype=None, layout=None, device=None, requires_grad=False,
             memory_format=None):
        if size and isinstance(size[-1], Generator):
            *size, generator = size
        kind = floating_kind(dtype, kernel)
        r = stream(generator)
        t = sample(lambda shape: draw(r, shape, kind), size_argument(tuple(size)), kind,
                   requires_grad=requires_grad and preserves(memory_format), device=device)
        if preserves(memory_format):
            return t
        t = ROWS["clone"].fun(t, memory_format=memory_format)
        return t.requires_grad_() if requires_grad else t

    make.__name__ = make.__qualname__ = name
    return sized(make, lambda size, kind, r=None: draw(
        default_generator.stream if r is None else r, size, floating_kind(kind, kernel)),
        lambda generator: generator.stream if type(generator) is Generator else None)


rand = factory("rand", uniform, "check_uniform_bounds")
randn = factory("randn", gaussian, "normal_kernel_cpu")
rand.__doc__ = "Sample uniformly from [0, 1)."
randn.__doc__ = "Sample from the standard normal distribution."


def like(make, draw):
    """`rand_like` of `rand`, whose numbers `draw` gives."""

    def plain(*args):
        t = args[0] if len(args) == 1 else None
        if type(t) is not Tensor or t.dispatch_key != FAST or not t.value.flags.c_contiguous:
            return None
        return draw(default_generator.stream, t.value.shape, t.value.dtype)

    @signed(f"{make.__name__}_like")
    def made_like(input, *, dtype=None, layout=None, device=None, requires_grad=False, memory_format=None,
                  generator=None, pin_memory=False):
        device = place_beside(input) if device is None else device
        shape, dtype = tuple(input.shape), dtype or input.dtype
        plain = not requires_grad and device is generator is memory_format is None
        return in_order_of(input, make(shape, dtype=dtype) if plain else make.make(
            shape, dtype=dtype, requires_grad=requires_grad, generator=generator, memory_format=memory_format,
            device=device), memory_format)

    made_like.__name__ = made_like.__qualname__ = f"{make.__name__}_like"
    made_like.__doc__ = "Random numbers in the shape and dtype of a tensor."
    return at_once(made_like, plain)


def in_order_of(input, t, memory_format):
    """New random numbers with their axes in memory as those of a tensor, unless a format is asked for."""
    below = bottom(input)
    if preserves(memory_format) and type(t.value) is type(below) is np.ndarray and t.value.ndim == below.ndim:
        t.value = laid_out(t.value, below)  # one draw for all examples of a batch has fewer axes, in their own order
    return t


rand_like, randn_like = like(rand, uniform), like(randn, gaussian)


def kept(input, p):
    """The dropout multiplier of a tensor: 0 with probability p, else 1 / (1 - p), in its order in memory."""
    r = stream(None)
    shape, dtype = shape_dtype(input)
    kind = floating_kind(dtype, "check_uniform_bounds")
    scale = np.asarray(1.0 / (1.0 - p)).astype(kind)
    t = sample(lambda whole: (r.random(whole, np.float32) >= p) * scale, shape, kind,
               device=place_beside(input))
    return in_order_of(input, t, None)


def check_range(low, high, kind):
    """torch's refusals of ranges of integers."""
    if kind.kind == "c":
        raise RuntimeError("check_random_bounds handles only integral, floating-point and boolean types")
    if low >= high:
        raise RuntimeError(f"random_ expects 'from' to be less than 'to', but got from={low} >= to={high}")
    if kind.kind in "iu":
        bits = 8 * kind.itemsize - (kind.kind == "i")
        least = -(1 << bits) if kind.kind == "i" else 0
        for what, number in (("from", low), ("to - 1", high - 1)):
            if not least <= number < 1 << bits:
                raise RuntimeError(f"{what} is out of bounds for {_C_NAMES.get(kind.name, kind.name)}")
    elif kind.kind == "b" and not (0 <= low <= 1 and 0 <= high - 1 <= 1):
        raise RuntimeError(f"{'from' if not 0 <= low <= 1 else 'to - 1'} is out of bounds for bool")


_C_NAMES = {"uint8": "unsigned char", "int8": "signed char", "int16": "short", "int32": "int", "int64": "long"}


def _integers(*args):
    size = plain_size(args[-1]) if len(args) in (2, 3) else None
    if size is None:
        return None
    low, high = args[:-1] if len(args) == 3 else (0, args[0])
    if type(low) is not int or type(high) is not int or not -(2**62) < low < high < 2**62:
        return None
    return np.asarray(default_generator.stream.integers(low, high, size))


@functools.partial(at_once, plain=_integers)
@with_out
def randint(low=0, high=None, size=None, *, generator=None, out=None, dtype=None, layout=None, device=None,
            requires_grad=False):
    """Sample integers from [low, high)."""
    if size is None:
        low, high, size = 0, low, high
    kind = (dtypes.int64 if dtype is None else dtype).numpy
    check_range(low, high, kind)
    r = stream(generator)
    return sample(lambda shape: r.integers(low, high, shape), size_argument((size,)), kind,
                  requires_grad=requires_grad, device=device)


@signed("randint_like")
def randint_like(input, low=0, high=None, *, dtype=None, **kwargs):
    """Integers in the shape of a tensor."""
    low, high = (0, low) if high is None else (low, high)
    device = place_beside(input) if kwargs.get("device") is None else kwargs["device"]
    t = randint(low, high, tuple(input.shape), dtype=dtype or input.dtype, device=device)
    return in_order_of(input, t, kwargs.get("memory_format"))


def _permuted(*args):
    return default_generator.stream.permutation(args[0]) if len(args) == 1 and type(args[0]) is int and (
        args[0] >= 0) else None


@functools.partial(at_once, plain=_permuted)
@with_out
def randperm(n, *, generator=None, out=None, dtype=dtypes.int64, layout=None, device=None, requires_grad=False):
    """The numbers 0 … n-1 in random order."""
    size_argument((n,))
    r = stream(generator)
    return sample(lambda shape: r.permutation(int(n)) if len(shape) == 1 else r.permuted(
        np.broadcast_to(np.arange(n), shape), axis=-1), (n,), dtype.numpy, requires_grad=requires_grad, device=device)


_NUMBERS = frozenset((int, float))


def _normal(*args):
    mean, std, size = args if len(args) == 3 else (*args, None) if len(args) == 2 else (None, None, None)
    if type(std) not in _NUMBERS or not 0 <= std:
        return None
    if size is None:
        m = plain_array(mean)
        return None if m is None else gaussian(default_generator.stream, m.shape, m.dtype) * std + m
    shape = plain_size(size) if type(mean) in _NUMBERS else None
    return None if shape is None else np.asarray(
        gaussian(default_generator.stream, shape, dtypes.Default.float.numpy) * std + mean)


@functools.partial(at_once, plain=_normal)
@with_out
def normal(mean=0.0, std=1.0, size=None, *, generator=None, out=None, dtype=None, layout=None, device=None,
           requires_grad=False, pin_memory=False):
    """Sample from normal distributions with the given means and standard deviations."""
    if device is not None:
        checked(device)
    if size is not None:
        shape, kind = size_argument((size,)), numpy_dtype(dtype)
    else:
        tensors = [t for t in (mean, std) if isinstance(t, TensorBase)]
        if len(tensors) == 2:
            check_broadcast(mean, std)
        shape = np.broadcast_shapes(*[tuple(t.shape) for t in tensors])
        kind = tensors[0].dtype.numpy
    kind = floating_kind(kind, "normal_kernel_cpu")
    r = stream(generator)

    def draw(whole, m, s):
        if s.dtype.kind == "c" if (several := isinstance(s, np.ndarray)) else isinstance(s, complex):
            raise RuntimeError("normal expects standard deviation to be non-complex")
        if (s < 0).any() if several else s < 0:
            raise RuntimeError("normal expects all elements of std >= 0.0" if several else
                               f"normal expects std >= 0.0, but found std {s:g}")
        return gaussian(r, whole, kind) * behind(s, whole, shape) + behind(m, whole, shape)

    found = sample(draw, shape, kind, mean, std)
    if requires_grad:
        return found.requires_grad_()
    of = isinstance(mean, TensorBase) + 2 * isinstance(std, TensorBase)
    return with_node(found, f"NormalBackward{of}", mean, std)


def behind(p, whole, shape):
    """An aligned parameter with its own axes at the end of `whole`, those of one example being `shape`."""
    if not isinstance(p, np.ndarray):
        return p
    lead = len(whole) - len(shape)
    return p.reshape(p.shape[:lead] + (1,) * (len(whole) - p.ndim) + p.shape[lead:])


def need(fine, message):
    """torch's refusal of a parameter."""
    if not fine:
        raise RuntimeError(message)


def check_probabilities(p):
    """torch's refusal of what is no probability."""
    if p.size and not (np.minimum.reduce(p, None) >= 0 and np.maximum.reduce(p, None) <= 1):  # NaN is neither
        raise RuntimeError("Expected p_in >= 0 && p_in <= 1 to be true, but got false.  (Could this error message be "
                           "improved?  If so, please report an enhancement request to PyTorch.)")


def plain_array(t):
    """The array of floats of a parameter that is a plain tensor without history; None of anything else."""
    return t.value if type(t) is Tensor and t.dispatch_key == FAST and t.node is None and not t.wants_grad else None


def _flipped(*args):
    p = plain_array(args[0]) if len(args) == 1 else None
    if p is None:
        return None
    check_probabilities(p)
    return (default_generator.stream.random(p.shape) < p).astype(p.dtype)


@functools.partial(at_once, plain=_flipped)
@functools.partial(with_out, target=Target(any_dtype=True))
def bernoulli(input, p=None, *, generator=None, out=None):
    """Sample 0 or 1, with the given probabilities of 1."""
    r = stream(generator)
    shape, dtype = shape_dtype(input)
    if p is not None:
        need(0 <= p <= 1, f"bernoulli_ expects p to be in [0, 1], but got p={p:g}")
        found = sample(lambda whole, _: r.random(whole) < p, shape, dtype, input)
        return with_node(found, "BernoulliBackward0", input)
    floating_kind(dtype, "bernoulli_tensor_cpu_p_", complex_too=False)

    def draw(whole, probability):
        check_probabilities(probability)
        return r.random(whole) < probability

    return with_node(sample(draw, shape, dtype, input), "BernoulliBackward0", input)


@with_out
def multinomial(input, num_samples, replacement=False, *, generator=None, out=None):
    """Sample indices with the given weights."""
    r = stream(generator)
    shape, kind = shape_dtype(input)
    if kind.kind not in "fV":
        raise RuntimeError("multinomial only supports floating-point dtypes for input, got: " + type_word(kind))
    if len(shape) not in (1, 2):
        raise RuntimeError("prob_dist must be 1 or 2 dim")
    if num_samples <= 0:
        raise RuntimeError("cannot sample n_sample <= 0 samples")
    if not replacement and num_samples > shape[-1]:
        raise RuntimeError("cannot sample n_sample > prob_dist.size(-1) samples without replacement")

    def draw(whole, w):
        rows = w.reshape(-1, shape[-1]).astype(np.float64)
        if not (np.isfinite(rows) & (rows >= 0)).all():
            raise RuntimeError("probability tensor contains either `inf`, `nan` or element < 0")
        if (rows.sum(1) <= 0).any():
            raise RuntimeError("invalid multinomial distribution (sum of probabilities <= 0)")
        if replacement:
            drawn = chosen(rows, r.random((len(rows), num_samples)))
        else:  # the first arrivals at these rates; what has no weight comes last
            drawn = np.argsort(-rows / r.standard_exponential(rows.shape), axis=1, kind="stable")[:, :num_samples]
        return drawn.astype(np.int64).reshape(whole)

    return sample(draw, (*shape[:-1], num_samples), np.int64, input)


def chosen(weights, numbers):
    """The column of each row of weights that a number between 0 and 1 selects, as `Generator.choice` does."""
    bounds = np.cumsum(weights / weights.sum(1, keepdims=True), 1)
    bounds /= bounds[:, -1:]
    if numbers.size * bounds.shape[1] <= _COMPARED:
        return (numbers[:, :, None] >= bounds[:, None]).sum(2)
    return np.array([b.searchsorted(u, "right") for b, u in zip(bounds, numbers)]).reshape(numbers.shape)


_COMPARED = 1 << 18  # numbers times bounds up to which all are compared: a search takes 1 us a row


def poisson(input, generator=None):
    """Poisson numbers by the rates of a tensor."""
    r = stream(generator)
    floating_kind(shape_dtype(input)[1], "poisson_cpu", complex_too=False)

    def draw(whole, rate):
        if not np.all(rate >= 0):
            raise RuntimeError("invalid Poisson rate, expected rate to be non-negative")
        return r.poisson(rate)

    return with_node(sample(draw, *shape_dtype(input), input), "PoissonBackward0", input)


attach("bernoulli", bernoulli)
attach("multinomial", multinomial)
