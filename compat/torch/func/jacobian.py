"""torch.func.jacrev, jacfwd, hessian."""

import functools

import numpy as np

from ..ops.shaping import movedim, reshape
from ..state import wrap
from ..views import shape_dtype
from .batch import vmap
from .forward import jvp
from .levels import flatten
from .reverse import chosen, vjp


def standard_basis(tensors):
    """One-hot tensors: the whole basis of several tensors, in front of each."""
    sizes = [int(np.prod(shape_dtype(t)[0])) for t in tensors]
    total, start, out = sum(sizes), 0, []
    for t, n in zip(tensors, sizes):
        shape, dtype = shape_dtype(t)
        eye = np.zeros((total, n), dtype)
        eye[np.arange(start, start + n), np.arange(n)] = 1
        out.append(wrap(eye.reshape(total, *shape)))
        start += n
    return out, sizes


def _of(func, args, places):
    """`func` as a function of the chosen arguments alone."""

    def part(*given):
        whole = list(args)
        for k, v in zip(places, given):
            whole[k] = v
        return func(*whole)

    return part


def jacrev(func, argnums=0, *, has_aux=False, chunk_size=None, _preallocate_and_copy=False):
    """A function that gives the Jacobian of `func`, by reverse mode.

    >>> import covector.compat.torch as torch
    >>> torch.func.jacrev(torch.sin)(torch.zeros(2))
    tensor([[1., 0.],
            [0., 1.]])
    """

    @functools.wraps(func)
    def wrapper(*args):
        single, places = chosen(args, argnums, "jacrev")
        result = vjp(_of(func, args, places), *[args[k] for k in places], has_aux=has_aux)
        out, pull = result[:2]
        outs, out_spec = flatten(out)
        basis, sizes = standard_basis(outs)
        found = vmap(lambda *cts: pull(out_spec.unflatten(list(cts))), chunk_size=chunk_size)(*basis)
        start, rows = 0, []
        for o, n in zip(outs, sizes):
            shape = shape_dtype(o)[0]

            def cut(g, start=start, n=n, shape=shape):
                return reshape(g[start : start + n], (*shape, *shape_dtype(g)[0][1:]))

            leaves, spec = flatten(found)
            parts = spec.unflatten([cut(g) for g in leaves])
            rows.append(parts[0] if single else tuple(parts))
            start += n
        jac = out_spec.unflatten(rows)
        return (jac, result[2]) if has_aux else jac

    return wrapper


def jacfwd(func, argnums=0, has_aux=False, *, randomness="error"):
    """A function that gives the Jacobian of `func`, by forward mode.

    >>> import covector.compat.torch as torch
    >>> torch.func.jacfwd(torch.sin)(torch.zeros(2))
    tensor([[1., 0.],
            [0., 1.]])
    """

    @functools.wraps(func)
    def wrapper(*args):
        single, places = chosen(args, argnums, "jacfwd")
        inner = _of(func, args, places)
        flat, spec = flatten(tuple([args[k] for k in places]))
        basis, sizes = standard_basis(flat)
        aux = []

        def push(*tangents):
            result = jvp(inner, spec.unflatten(flat), spec.unflatten(list(tangents)), has_aux=has_aux)
            aux[:] = result[2:]
            return result[1]

        dots, out_spec = flatten(vmap(push, randomness=randomness)(*basis))
        columns = []
        for d in dots:
            start, parts = 0, []
            for x, n in zip(flat, sizes):
                shape = shape_dtype(x)[0]
                part = d[start : start + n]
                out_shape = shape_dtype(part)[0][1:]
                parts.append(reshape(movedim(part, 0, -1), (*out_shape, *shape)))
                start += n
            made = spec.unflatten(parts)
            columns.append(made[0] if single else tuple(made))
        jac = out_spec.unflatten(columns)
        return (jac, aux[0]) if has_aux else jac

    return wrapper


def hessian(func, argnums=0):
    """A function that gives the Hessian of `func`: forward over reverse.

    >>> import covector.compat.torch as torch
    >>> torch.func.hessian(lambda x: (x ** 3).sum())(torch.ones(2))
    tensor([[6., 0.],
            [0., 6.]])
    """
    return jacfwd(jacrev(func, argnums), argnums)


__all__ = ["hessian", "jacfwd", "jacrev"]
