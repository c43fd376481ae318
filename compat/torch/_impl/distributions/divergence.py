"""`kl_divergence` and the table that it looks in, by the kinds of both distributions."""

import warnings

from ..public_names import torch
from .distribution import Distribution

TABLE = {}  # (kind of p, kind of q) -> function
_FOUND = {}  # what was looked up


def register_kl(type_p, type_q):
    """Register a function of two distributions for their kinds; a decorator.

    Raises:
        TypeError: a kind is none of distributions.

    >>> import covector.compat.torch as torch
    >>> p, q = torch.distributions.Normal(0.0, 1.0), torch.distributions.Normal(1.0, 1.0)
    >>> torch.distributions.kl_divergence(p, q)
    tensor(0.5000)
    """
    for name, kind in (("type_p", type_p), ("type_q", type_q)):
        if not isinstance(kind, type) and issubclass(kind, Distribution):
            raise TypeError(f"Expected {name} to be a Distribution subclass but got {kind}")

    def decorator(fun):
        TABLE[type_p, type_q] = fun
        _FOUND.clear()
        return fun

    return decorator


def nearness(kind, given):
    """The distance in the method resolution order from a given class up to `kind`."""
    return given.__mro__.index(kind)


def lookup(type_p, type_q):
    """The function of the nearest kinds, or NotImplemented; it warns where two are as near."""
    fits = [(p, q) for p, q in TABLE if issubclass(type_p, p) and issubclass(type_q, q)]
    if not fits:
        return NotImplemented
    left = min(fits, key=lambda pair: (nearness(pair[0], type_p), nearness(pair[1], type_q)))
    right = min(fits, key=lambda pair: (nearness(pair[1], type_q), nearness(pair[0], type_p)))
    if TABLE[left] is not TABLE[right]:
        warnings.warn(f"Ambiguous kl_divergence({type_p.__name__}, {type_q.__name__}). Please "
                      f"register_kl({left[0].__name__}, {right[1].__name__})", RuntimeWarning, stacklevel=3)
    return TABLE[left]


def kl_divergence(p, q):
    """The Kullback-Leibler divergence of two distributions, `E_p[log p - log q]`.

    Raises:
        NotImplementedError: there is no formula for their kinds.
    """
    kinds = type(p), type(q)
    fun = _FOUND.get(kinds)
    if fun is None:
        fun = _FOUND[kinds] = lookup(*kinds)
    if fun is NotImplemented:
        raise NotImplementedError(f"No KL(p || q) is implemented for p type {kinds[0].__name__} and q type "
                                  f"{kinds[1].__name__}")
    return fun(p, q)


def infinite(tensor):
    """Infinity in the shape of a tensor."""
    return torch.full_like(tensor, float("inf"))
