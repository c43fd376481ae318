"""torch.func.vmap."""

import functools

import optree

from ..apply_function import BATCH
from ..engine import BATCHED, run
from ..function import Function
from ..levels import BatchTrace
from ..ops.joining import cat
from ..ops.shaping import expand, movedim, narrow
from ..state import TensorBase, at_level
from ..views import shape_dtype
from .levels import flatten, lowered


def vmap(func, in_dims=0, out_dims=0, randomness="error", *, chunk_size=None):
    """A function that maps `func` over an axis of its arguments.

    >>> import covector.compat.torch as torch
    >>> torch.func.vmap(torch.dot)(torch.ones(2, 3), torch.ones(2, 3))
    tensor([3., 3.])
    """
    if randomness not in ("error", "different", "same"):
        raise RuntimeError(f"Only allowed values for randomness are 'error', 'different', or 'same'. Got {randomness}")
    if chunk_size is not None and chunk_size < 1:
        raise ValueError(f"vmap: chunk_size should be None or greater than 0. (got {chunk_size})")

    @functools.wraps(func)
    def wrapped(*args, **kwargs):
        flat, dims, spec = placed(in_dims, args, func)
        size = batch_size(flat, dims)
        if chunk_size is None or chunk_size >= size:
            return once(func, flat, dims, spec, size, out_dims, randomness, kwargs)
        parts = []
        for start in range(0, size, chunk_size):
            n = min(chunk_size, size - start)
            cut = [x if d is None else narrow(x, d, start, n) for x, d in zip(flat, dims)]
            parts.append(flatten(once(func, cut, dims, spec, n, out_dims, randomness, kwargs)))
        out_spec = parts[0][1]
        axes = out_axes(out_dims, out_spec, len(parts[0][0]))
        return out_spec.unflatten([cat([p[0][i] for p in parts], a) for i, a in enumerate(axes)])

    return wrapped


def name_of(func):
    """A function's name for messages."""
    return getattr(func, "__name__", repr(func))


def placed(in_dims, args, func):
    """Flat arguments, the mapped axis of each, and the structure."""
    if not isinstance(in_dims, int | tuple | list | dict) and in_dims is not None:
        raise ValueError(f"vmap({name_of(func)}, in_dims={in_dims}, ...)(<inputs>): expected `in_dims` to be int or a "
                         f"(potentially nested) tuple matching the structure of inputs, got: {type(in_dims)}.")
    if not args:
        raise ValueError(f"vmap({name_of(func)})(<inputs>): got no inputs. Maybe you forgot to add inputs, or you "
                         "are trying "
                         "to vmap over a function with no inputs. The latter is unsupported.")
    flat, spec = flatten(args)
    dims = broadcast(in_dims if isinstance(in_dims, tuple | list) else (in_dims,) * len(args), args)
    if dims is None:
        raise ValueError(f"vmap({name_of(func)}, in_dims={in_dims}, ...)(<inputs>): in_dims is not compatible with the "
                         f"structure of inputs. in_dims has structure {optree.tree_structure(in_dims)} but inputs has "
                         f"structure {spec}.")
    out = []
    for x, d in zip(flat, dims):
        if d is None:
            out.append(None)
            continue
        if not isinstance(d, int):
            raise ValueError(f"vmap({name_of(func)}, in_dims={in_dims}, ...)(<inputs>): Got in_dim={d} for an input "
                             "but in_dim "
                             "must be either an integer dimension or None.")
        if not isinstance(x, TensorBase):
            raise ValueError(f"vmap({name_of(func)}, in_dims={in_dims}, ...)(<inputs>): Got in_dim={d} for an input "
                             "but the "
                             f"input is of type {type(x)}. We cannot vmap over non-Tensor arguments, please use None "
                             "as the "
                             "respective in_dim")
        n = len(shape_dtype(x)[0])
        if not -n <= d < n:
            raise ValueError(f"vmap({name_of(func)}, in_dims={in_dims}, ...)(<inputs>): Got in_dim={d} for some "
                             "input, but that "
                             f"input is a Tensor of dimensionality {n} so expected in_dim to satisfy -{n} <= in_dim "
                             f"< {n}.")
        out.append(d % n)
    return flat, out, spec


def broadcast(dims, tree):
    """The axis of each leaf of `tree`, from a prefix of it."""
    try:
        return optree.tree_leaves(optree.tree_map(
            lambda d, sub: optree.tree_map(lambda _: d, sub, none_is_leaf=True), tuple(dims), tuple(tree),
            is_leaf=lambda x: x is None or isinstance(x, int), none_is_leaf=True), none_is_leaf=True)
    except ValueError:
        return None


def batch_size(flat, dims):
    """The length of the mapped axes."""
    sizes = [shape_dtype(x)[0][d] for x, d in zip(flat, dims) if d is not None]
    if not sizes:
        raise ValueError("vmap: at least one tensor must be mapped over; every in_dim is None")
    if len(set(sizes)) > 1:
        raise ValueError("vmap: Expected all tensors to have the same size in the mapped dimension, got sizes "
                         f"{sizes} for the "
                         "mapped dimension")
    return sizes[0]


def once(func, flat, dims, spec, size, out_dims, randomness, kwargs):
    """One run over a whole batch."""
    trace = BatchTrace(size, randomness)
    inner = [x if d is None else at_level(trace, movedim(x, d, 0) if d else x) for x, d in zip(flat, dims)]
    try:
        out = func(*spec.unflatten(inner), **kwargs)
    finally:
        trace.done = True
    outs, out_spec = flatten(out)
    axes = out_axes(out_dims, out_spec, len(outs))
    results = []
    for o, a in zip(outs, axes):
        if not isinstance(o, TensorBase):
            raise ValueError(f"vmap({name_of(func)}, ...): `{name_of(func)}` must only return Tensors, got type "
                             f"{type(o)}. Did "
                             "you mean to set out_dims= to None for output?")
        v = lowered(trace, o) if o.trace is trace else None
        if a is None:
            if v is not None:
                raise ValueError(f"vmap({name_of(func)}, ...): `{name_of(func)}` can not return a BatchedTensor when "
                                 "out_dim "
                                 "is None")
            results.append(o)
            continue
        if v is None:
            v = expand(o, size, *shape_dtype(o)[0])
        results.append(movedim(v, 0, a) if a else v)
    return out_spec.unflatten(results)


def out_axes(out_dims, spec, count):
    """The axis of each result."""
    if isinstance(out_dims, int) or out_dims is None:
        return [out_dims] * count
    dims = broadcast(out_dims, spec.unflatten(list(range(count))) if not spec.is_leaf() else (0,))
    if dims is None or len(dims) != count:
        raise ValueError(f"vmap(..., out_dims={out_dims}): out_dims is not compatible with the structure of outputs. "
                         "out_dims "
                         f"has structure {optree.tree_structure(out_dims)} but outputs has structure {spec}.")
    return dims


def batched_grad(outputs, inputs, grads, retain, create_graph, allow_unused):
    """`autograd.grad` with a batch of cotangents: one sweep under vmap."""
    missing = [None]

    def pull(*cts):
        found = run(outputs, cts, True, create_graph, inputs, accumulate=False, allow_unused=allow_unused)
        missing[0] = [g is None for g in found]
        return tuple([g for g in found if g is not None])

    got = iter(vmap(pull)(*grads))
    return tuple([None if gone else next(got) for gone in missing[0]])


BATCHED.append(batched_grad)


def apply_batched(kind, args, trace):
    """A Function under vmap: its own rule."""
    if kind.generate_vmap_rule:
        if kind.vmap is not Function.vmap:
            raise RuntimeError("You tried to vmap over a custom autograd.Function that has both a vmap staticmethod "
                               "and "
                               "generate_vmap_rule=True. Please set generate_vmap_rule=False or delete the overriden "
                               "vmap "
                               "staticmethod to avoid ambiguity.")
        raise NotImplementedError(f"generate_vmap_rule of {kind.__name__} is not built; write its vmap staticmethod")
    if kind.vmap is Function.vmap:
        raise RuntimeError(f"You tried to vmap over {kind.__name__}, but it does not have vmap support. Please "
                           "override and "
                           "implement the vmap staticmethod or set generate_vmap_rule=True.")
    flat, spec = flatten(args)
    dims = [0 if isinstance(x, TensorBase) and x.trace is trace else None for x in flat]
    below = spec.unflatten([lowered(trace, x) for x in flat])
    out, out_dims = kind.vmap(VmapInfo(trace.size, trace.randomness), spec.unflatten(dims), *below)
    outs, out_spec = flatten(out)
    axes = out_axes(out_dims, out_spec, len(outs))
    return out_spec.unflatten([o if a is None else at_level(trace, movedim(o, a, 0) if a else o)
                               for o, a in zip(outs, axes)])


class VmapInfo:
    """What a Function's vmap is told: the size of the batch, and how random numbers are to behave."""

    __slots__ = ("batch_size", "randomness")

    def __init__(self, batch_size, randomness):
        self.batch_size = batch_size
        self.randomness = randomness


BATCH.append(apply_batched)
