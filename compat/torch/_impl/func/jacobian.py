"""torch.func.jacrev, jacfwd, hessian."""

import functools

from ..dispatch.layouts import straightened
from ..ops.joining import cat
from ..ops.shaping import movedim, reshape
from ..state.meta import facts_of
from ..types.tensor_type import shape_dtype, wrap
from .batch import vmap
from .forward import jvp_of
from .levels import chosen, flatten, refuse_complex
from .reverse import vjp_of


def standard_basis(tensors):
    """One-hot tensors: the whole basis of several tensors, in front of each."""
    sizes = [t.numel() for t in tensors]
    total, start, out = sum(sizes), 0, []
    for t, n in zip(tensors, sizes):
        shape, dtype, xp = facts_of(t)
        out.append(wrap(xp.eye(total, n, -start, dtype).reshape(total, *shape)))
        start += n
    return out, sizes


def jacrev(func, argnums=0, *, has_aux=False, chunk_size=None, _preallocate_and_copy=False):
    """Return a function that computes the Jacobian of `func`, by reverse mode.

    >>> import covector.compat.torch as torch
    >>> torch.func.jacrev(torch.sin)(torch.zeros(2))
    tensor([[1., 0.],
            [0., 1.]])
    """
    if not (chunk_size is None or chunk_size > 0):
        raise ValueError("jacrev: `chunk_size` should be greater than 0.")

    @functools.wraps(func)
    def wrapper(*args):
        refuse_complex("jacrev", args, "inputs")
        out, pull, *aux = vjp_of(func, args, argnums, has_aux)
        outs, out_spec = flatten(out)
        refuse_complex("jacrev", outs, "outputs")
        basis, sizes = standard_basis(outs)

        def pull_flat(*cts):
            return flatten(pull(out_spec.unflatten(cts)))[0]

        primals, spec = flatten(chosen(args, argnums))
        if chunk_size == 1:
            rows = [pull_flat(*[b[i] for b in basis]) for i in range(sum(sizes))]
            found = [cat([g[None] for g in column], 0) for column in zip(*rows)]
        else:
            found = [straightened(g) for g in vmap(pull_flat, chunk_size=chunk_size)(*basis)]
        jac = []
        start = 0
        for o, n in zip(outs, sizes):
            shape = shape_dtype(o)[0]
            jac.append(spec.unflatten([reshape(g[start : start + n], (*shape, *shape_dtype(x)[0]))
                                       for g, x in zip(found, primals)]))
            start += n
        jac = out_spec.unflatten(jac)
        return (jac, aux[0]) if has_aux else jac

    return wrapper


def jacfwd(func, argnums=0, has_aux=False, *, randomness="error"):
    """Return a function that computes the Jacobian of `func`, by forward mode.

    >>> import covector.compat.torch as torch
    >>> torch.func.jacfwd(torch.sin)(torch.zeros(2))
    tensor([[1., 0.],
            [0., 1.]])
    """

    @functools.wraps(func)
    def wrapper(*args):
        refuse_complex("jacfwd", args, "inputs")
        single = isinstance(argnums, int)
        primals = args if argnums is None else chosen(args, argnums)
        flat, spec = flatten((primals,) if single else primals)
        basis, sizes = standard_basis(flat)

        def push(*tangents):
            out, dots, *aux = jvp_of(func, args, spec.unflatten(tangents), argnums, False, has_aux)
            refuse_complex("jacfwd", out, "outputs")
            return dots, *aux

        found, *aux = vmap(push, randomness=randomness)(*basis)
        dots, out_spec = flatten(found)
        columns = []
        for d in dots:
            start, parts = 0, []
            for x, n in zip(flat, sizes):
                part = movedim(d[start : start + n], 0, -1)
                parts.append(reshape(part, (*shape_dtype(part)[0][:-1], *shape_dtype(x)[0])))
                start += n
            made = spec.unflatten(parts)
            columns.append(made[0] if single else made)
        jac = out_spec.unflatten(columns)
        if not has_aux:
            return jac
        values, aux_spec = flatten(aux[0])
        return jac, aux_spec.unflatten([v[0] for v in values])

    return wrapper


def hessian(func, argnums=0):
    """Return a function that computes the Hessian of `func`, by forward over reverse.

    >>> import covector.compat.torch as torch
    >>> torch.func.hessian(lambda x: (x ** 3).sum())(torch.ones(2))
    tensor([[6., 0.],
            [0., 6.]])
    """
    return jacfwd(jacrev(func, argnums), argnums)


__all__ = ["hessian", "jacfwd", "jacrev"]
