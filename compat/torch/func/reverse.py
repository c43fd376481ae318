"""torch.func.grad, grad_and_value, vjp."""

import functools

import numpy as np

from ..engine import sweep_level
from ..state import TensorBase, wrap
from ..views import shape_dtype
from .levels import flatten, grad_level, lifted, lowered, tree_map


def chosen(args, argnums, name):
    """The differentiated arguments, as a list of positions."""
    single = isinstance(argnums, int)
    places = (argnums,) if single else tuple(argnums)
    for k in places:
        if not isinstance(k, int):
            raise RuntimeError(f"argnum must be an int or a tuple of ints, got {type(k)}")
        if not -len(args) <= k < len(args):
            raise RuntimeError(f"Got argnum={k}, but only {len(args)} positional inputs")
    if len(set(places)) != len(places):
        raise RuntimeError(f"argnums elements must be unique, got {argnums}")
    return single, [k % len(args) for k in places]


def zeros(t):
    """A tensor of zeros of the shape and dtype of `t`."""
    shape, dtype = shape_dtype(t)
    return wrap(np.zeros(shape, dtype))


def grad_and_value(func, argnums=0, has_aux=False):
    """A function that gives the gradient of `func` and its value: `(gradient, value)`, or `(gradient, (value, aux))`.

    >>> import covector.compat.torch as torch
    >>> torch.func.grad_and_value(lambda x: x ** 2)(torch.tensor(3.0))
    (tensor(6.), tensor(9.))
    """

    @functools.wraps(func)
    def wrapper(*args, **kwargs):
        single, places = chosen(args, argnums, "grad")
        with grad_level() as trace:
            inner = list(args)
            for k in places:
                inner[k] = tree_map(lambda x: lifted(trace, x, differentiable(x)), args[k])
            out = func(*inner, **kwargs)
            aux = None
            if has_aux:
                if not (isinstance(out, tuple) and len(out) == 2):
                    raise RuntimeError("grad_and_value(f)(*args): output of function f should be a tuple: (output, "
                                       "aux) if "
                                       "has_aux is True")
                out, aux = out
            if not isinstance(out, TensorBase):
                raise RuntimeError(f"grad_and_value(f)(*args): Expected f(*args) to return a tensor, got {type(out)}")
            if len(shape_dtype(out)[0]):
                raise RuntimeError("grad_and_value(f)(*args): Expected f(*args) to return a scalar tensor, got "
                                   "tensor with "
                                   f"{len(shape_dtype(out)[0])} dims. Maybe you wanted to use the vjp or jacrev APIs "
                                   "instead?")
            leaves, spec = flatten([inner[k] for k in places])
            tensors = [x for x in leaves if isinstance(x, TensorBase) and x.requires]
            found = iter(sweep_level(trace, [out], [None], tensors))
            grads = spec.unflatten([(lambda g, x: zeros(x) if g is None else g)(next(found), x)
                                    if isinstance(x, TensorBase) and x.requires else x for x in leaves])
            value = lowered(trace, out)
            aux = tree_map(lambda x: lowered(trace, x), aux)
        grads = grads[0] if single else tuple(grads)
        return (grads, (value, aux)) if has_aux else (grads, value)

    return wrapper


def differentiable(x):
    """Whether a leaf is a floating or complex tensor."""
    return isinstance(x, TensorBase) and shape_dtype(x)[1].kind in "fcV"


def grad(func, argnums=0, has_aux=False):
    """A function that gives the gradient of `func`, or `(gradient, aux)`.

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
    """`func(*primals)` and the function that pulls cotangents back.

    >>> import covector.compat.torch as torch
    >>> out, pull = torch.func.vjp(torch.sin, torch.tensor(0.0))
    >>> pull(torch.tensor(2.0))
    (tensor(2.),)
    """
    with grad_level() as trace:
        inner = tree_map(lambda x: lifted(trace, x, differentiable(x)), primals)
        out = func(*inner)
        aux = None
        if has_aux:
            if not (isinstance(out, tuple) and len(out) == 2):
                raise RuntimeError("vjp(f, *primals): output of function f should be a tuple: (output, aux) if "
                                   "has_aux is "
                                   "True")
            out, aux = out
        outs, out_spec = flatten(out)
        if not outs or not all(isinstance(o, TensorBase) for o in outs):
            raise RuntimeError("vjp(f, *primals): Expected f to be a function that has non-empty output and returns "
                               "only "
                               f"tensors (got output = {out})")
        leaves, spec = flatten(inner)
        pull = prepared(trace, outs, leaves)
        results = out_spec.unflatten([lowered(trace, o) for o in outs])
        aux = tree_map(lambda x: lowered(trace, x), aux)

    def vjp_fn(cotangents, retain_graph=True, create_graph=None):
        cts, ct_spec = flatten(cotangents)
        if ct_spec != out_spec:
            raise RuntimeError("Expected pytree structure of cotangents to be the same as pytree structure of "
                               "outputs to the "
                               f"function. cotangents: {ct_spec}, primal output: {out_spec}")
        found = spec.unflatten(pull(cts))
        return tuple(found)

    return (results, vjp_fn, aux) if has_aux else (results, vjp_fn)


def prepared(trace, outs, leaves):
    """A function from cotangents to the gradients of `leaves`, None-free."""
    tensors = [x for x in leaves if isinstance(x, TensorBase) and x.requires]
    run = sweep_level(trace, outs, None, tensors)

    def pull(cts):
        found = iter(run(cts))
        return [(lambda g, x: zeros(x) if g is None else g)(next(found), x)
                if isinstance(x, TensorBase) and x.requires else x for x in leaves]

    return pull
