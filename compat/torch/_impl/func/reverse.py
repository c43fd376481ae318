"""torch.func.grad, grad_and_value, vjp."""

import functools

from ..engine.engine import sweep_level
from ..factories.creation import zeros_like
from ..modes.modes import MODES, modes
from ..ops.copying import contiguous
from ..random.randomness import maps_of
from ..state.levels import BatchTrace, lowered
from ..state.meta import zeros_as
from ..types.arrays import ARRAYS
from ..types.pytree import treespec_pprint
from ..types.tensor_type import TensorBase, shape_dtype, wrap
from .levels import (
    check_outputs,
    chosen,
    differentiated,
    done,
    enter_grad_level,
    flatten,
    lifted,
    lifted_all,
    lowered_all,
    split_aux,
    tree_map,
)


def zeros(t):
    """A tensor of zeros of the shape and dtype of `t`."""
    return wrap(zeros_as(t))


def grad_and_value(func, argnums=0, has_aux=False):
    """Return a function that computes the gradient of `func` and its value: `(gradient, value)`, or with `has_aux`
    `(gradient, (value, aux))`.

    >>> import covector.compat.torch as torch
    >>> torch.func.grad_and_value(lambda x: x ** 2)(torch.tensor(3.0))
    (tensor(6.), tensor(9.))
    """

    @functools.wraps(func)
    def wrapper(*args, **kwargs):
        api = "grad_and_value(f)(*args)"
        before, trace = MODES.get(), None
        try:
            trace = enter_grad_level()
            args = lifted_all(trace, args)
            if kwargs:
                kwargs = tree_map(lambda x: lifted(trace, x), kwargs)
            leaves, spec = differentiated(chosen(args, argnums))
            out, aux = func(*args, **kwargs), None
            if has_aux:
                out, aux = split_aux(out, api)
            if not isinstance(out, TensorBase):
                raise RuntimeError(f"{api}: Expected f(*args) to return a Tensor, got {type(out)}")
            if out.ndim:
                raise RuntimeError(f"{api}: Expected f(*args) to return a scalar Tensor, got tensor with {out.ndim} "
                                   "dims. Maybe you wanted to use the vjp or jacrev APIs instead?")
            likes = [lowered(trace, x) for x in leaves]
            grads = spec.unflatten(pulled(likes, sweep_level(trace, [out], [None], leaves)))
            value = lowered(trace, out)
            if has_aux:
                value = value, lowered_all(trace, aux)
        finally:
            MODES.set(before)
            done(trace)
        return grads, value

    return wrapper


def pulled(leaves, found):
    """Gradients, zeros where nothing arrived; one for each example of a batch, even where all are equal."""
    found = [zeros(x) if g is None else g for x, g in zip(leaves, found)]
    if not modes().maps:
        return found
    found = [g if not set(maps_of(x)).difference(maps_of(g)) else zeros_like(x) + g for x, g in zip(leaves, found)]
    return [in_order(g) for g in found]


def in_order(g):
    """A gradient of each example in the order of its axes, as a sweep gives it where nothing is mapped."""
    t = g
    while isinstance(t.level_trace, BatchTrace):
        t = t.value
    array = t.value
    if t.level_trace is not None or type(array) not in ARRAYS or array.flags.c_contiguous or 0 in array.strides:
        return g
    return contiguous(g)


def grad(func, argnums=0, has_aux=False):
    """Return a function that computes the gradient of `func`, or `(gradient, aux)`.

    >>> import covector.compat.torch as torch
    >>> torch.func.grad(torch.sin)(torch.tensor(0.0))
    tensor(1.)
    """
    inner = grad_and_value(func, argnums, has_aux)

    @functools.wraps(func)
    def wrapper(*args, **kwargs):
        grads, value = inner(*args, **kwargs)
        return (grads, value[1]) if has_aux else grads

    return wrapper


def vjp(func, *primals, has_aux=False):
    """Compute `func(*primals)`, and return it with the pullback, which maps cotangents of the output to the primals.

    >>> import covector.compat.torch as torch
    >>> out, pull = torch.func.vjp(torch.sin, torch.tensor(0.0))
    >>> pull(torch.tensor(2.0))
    (tensor(2.),)
    """
    return vjp_of(func, primals, None, has_aux)


def vjp_of(func, primals, argnums, has_aux):
    """`vjp` with respect to the arguments selected by `argnums`; None for all."""
    api = "vjp(f, *primals)"
    before, trace = MODES.get(), None
    try:
        trace = enter_grad_level()
        inner = lifted_all(trace, primals)
        leaves, spec = differentiated(inner if argnums is None else chosen(inner, argnums))
        out, aux = func(*inner), None
        if has_aux:
            out, aux = split_aux(out, api)
            aux = lowered_all(trace, aux)
        outs, out_spec = flatten(out)
        check_outputs(outs, api)
        for o in outs:
            if shape_dtype(o)[1].kind not in "fcV":
                raise RuntimeError("vjp(f, ...): All outputs of f must be floating-point or complex Tensors, got "
                                   f"Tensor with dtype {o.dtype}")
        sweep = sweep_level(trace, outs, None, leaves)
        results = out_spec.unflatten([lowered(trace, o) for o in outs])
        likes = [lowered(trace, x) for x in leaves]
    finally:
        MODES.set(before)
        done(trace)

    def vjp_fn(cotangents, retain_graph=True, create_graph=None):
        cts, ct_spec = flatten(cotangents)
        if ct_spec != out_spec:
            raise RuntimeError("Expected pytree structure of cotangents to be the same as pytree structure of outputs "
                               f"to the function. cotangents: {treespec_pprint(ct_spec)}, primal output: "
                               f"{treespec_pprint(out_spec)}")
        return spec.unflatten(pulled(likes, sweep(cts, retain_graph)))

    return (results, vjp_fn, aux) if has_aux else (results, vjp_fn)
