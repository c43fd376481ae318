"""torch.func.vmap."""

import functools

from ..modes.modes import modes
from ..ops.joining import cat
from ..ops.shaping import movedim, narrow
from ..ops.unit_axes import expand
from ..random.generator import get_rng_state, set_rng_state
from ..state.levels import BatchTrace, alive, batch_size, batched, lowered, within
from ..types.pytree import broadcast_prefix, tree_leaves, tree_structure
from ..types.tensor_type import TensorBase, infer, shape_dtype
from .levels import flatten


def vmap(func, in_dims=0, out_dims=0, randomness="error", *, chunk_size=None):
    """Return a function that maps `func` over an axis of its arguments.

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
        check_out_dims(out_dims, func)
        flat, dims, spec = placed(in_dims, args, func)
        size = batch_size(flat, dims)
        if chunk_size is None or chunk_size >= size:
            return once(func, flat, dims, spec, size, out_dims, randomness, kwargs)
        state = get_rng_state() if randomness == "same" else None
        parts = []
        for start in range(0, size, chunk_size):
            if state is not None:
                set_rng_state(state)
            n = min(chunk_size, size - start)
            cut = [x if d is None else narrow(x, d, start, n) for x, d in zip(flat, dims)]
            parts.append(flatten(once(func, cut, dims, spec, n, out_dims, randomness, kwargs)))
        out_spec = parts[0][1]
        axes = broadcast_prefix(out_dims, out_spec)
        return out_spec.unflatten([cat(found, a) for found, a in zip(zip(*[p[0] for p in parts]), axes)])

    return wrapped


def name_of(func):
    """A function's name for messages."""
    if hasattr(func, "__name__"):
        return func.__name__
    return f"functools.partial({name_of(func.func)}, ...)" if isinstance(func, functools.partial) else repr(func)


def check_out_dims(out_dims, func):
    """Refuse axes of results that are no numbers."""
    if any(not isinstance(d, int) and d is not None for d in tree_leaves(out_dims)):
        raise ValueError(f"vmap({name_of(func)}, ..., out_dims={out_dims}): `out_dims` must be an int, None or a "
                         f"python "
                         "collection of ints representing where in the outputs the vmapped dimension should appear.")


def placed(in_dims, args, func):
    """Flat arguments, the mapped axis of each, and the structure."""
    call = f"vmap({name_of(func)}, in_dims={in_dims}, ...)(<inputs>): "
    if not isinstance(in_dims, int | tuple):
        raise ValueError(f"{call}expected `in_dims` to be int or a (potentially nested) tuple matching the structure "
                         f"of "
                         f"inputs, got: {type(in_dims)}.")
    if not args:
        raise ValueError(f"vmap({name_of(func)})(<inputs>): got no inputs. Maybe you forgot to add inputs, or you are "
                         "trying to vmap over a function with no inputs. The latter is unsupported.")
    flat, spec = flatten(args)
    dims = broadcast_prefix(in_dims, spec)
    if dims is None:
        raise ValueError(f"{call}in_dims is not compatible with the structure of `inputs`. in_dims has structure "
                         f"{tree_structure(in_dims)} but inputs has structure {spec}.")
    for i, (x, d) in enumerate(zip(flat, dims)):
        if d is None:
            continue
        if not isinstance(d, int):
            raise ValueError(f"{call}Got in_dim={d} for an input but in_dim must be either an integer dimension or "
                             "None.")
        if not isinstance(x, TensorBase):
            raise ValueError(f"{call}Got in_dim={d} for an input but the input is of type {type(x)}. We cannot vmap "
                             "over non-Tensor arguments, please use None as the respective in_dim")
        n = len(shape_dtype(x)[0])
        if not -n <= d < n:
            raise ValueError(f"{call}Got in_dim={d} for some input, but that input is a Tensor of dimensionality {n} "
                             f"so "
                             f"expected in_dim to satisfy -{n} <= in_dim < {n}.")
        dims[i] = d % n
    return flat, dims, spec


def once(func, flat, dims, spec, size, out_dims, randomness, kwargs):
    """One run over a whole batch."""
    trace = BatchTrace(size, randomness)
    out = within(trace, func, spec.unflatten([batched(trace, x, d) for x, d in zip(flat, dims)]), kwargs)
    outs, out_spec = flatten(out)
    axes = axes_of(out_dims, out_spec, func)
    name = name_of(func)
    results, inference = [], modes().inference
    for o, a in zip(outs, axes):
        o = alive(o)
        if a is None:
            if isinstance(o, TensorBase) and o.level_trace is trace:
                raise ValueError(f"vmap({name}, ...): `{name}` can not return a BatchedTensor when out_dim is None")
            results.append(o)
            continue
        if not isinstance(o, TensorBase):
            raise ValueError(f"vmap({name}, ...): `{name}` must only return Tensors, got type {type(o)}. Did you mean "
                             "to set out_dims= to None for output?")
        v = lowered(trace, o) if o.level_trace is trace else expand(o, size, *shape_dtype(o)[0])
        if inference and v.level_trace is None and v.autograd_meta is None and all(v is not x for x in flat):
            infer(v)
        results.append(movedim(v, 0, a) if a else v)
    return out_spec.unflatten(results)


def axes_of(out_dims, spec, func):
    """The axis of each result."""
    if spec.is_leaf() and isinstance(out_dims, tuple) and len(out_dims) == 1:
        return list(out_dims)
    axes = broadcast_prefix(out_dims, spec)
    if axes is None:
        raise ValueError(f"vmap({name_of(func)}, ..., out_dims={out_dims})(<inputs>): out_dims is not compatible with "
                         f"the structure of `outputs`. out_dims has structure {tree_structure(out_dims)} but outputs "
                         f"has structure {spec}.")
    return axes


