"""`torch._foreach_*`: operations of lists of tensors, one after the other."""

from ..dispatch.call import ROWS
from ..lists.updates import zeroed
from ..types.tensor_type import TensorBase

UNARY = """abs acos asin atan ceil clone cos cosh erf erfc exp expm1 floor frac lgamma log log10 log1p log2 max neg
reciprocal round rsqrt sigmoid sign sin sinh sqrt tan tanh trunc""".split()
BINARY = "add clamp_max clamp_min div maximum minimum mul pow sub".split()
TERNARY = "addcdiv addcmul lerp".split()
POSITIONAL = "tensors1 tensor1 tensor2 other scalar scalars exponent weight weights".split()
OUT_OF_PLACE_ALONE = "clone max".split()
PUBLIC = {}


def check(tensors, *lists):
    """torch's refusals of lists."""
    if not len(tensors):
        raise RuntimeError("Tensor list must have at least one tensor.")
    for other in lists:
        if isinstance(other, list | tuple) and len(other) != len(tensors):
            if not other or not isinstance(other[0], TensorBase):
                raise RuntimeError("Tensor list must have same number of elements as scalar list.")
            raise RuntimeError("Tensor lists must have the same number of tensors, got "
                               f"{len(tensors)} and {len(other)}")


def each(value, n):
    """One value for each tensor: those of a list, or the same."""
    return value if isinstance(value, list | tuple) else [value] * n


def publish(name):
    """The function of an operation, and that in place."""
    own = {"maximum": "clamp_min", "minimum": "clamp_max"}.get(name, name)  # those of numbers, too
    row, inside = ROWS[own], own + "_"

    def call(fun, self, others, named):
        check(self, *others, *named.values())
        columns = [each(x, len(self)) for x in others]
        keys = {k: each(v, len(self)) for k, v in named.items()}
        return [fun(t, *[c[i] for c in columns], **{k: v[i] for k, v in keys.items()}) for i, t in enumerate(self)]

    def foreach(self, *others, **named):
        if name == "pow" and not isinstance(self, list | tuple):  # a number to the powers of a list
            return tuple(row.fun(self, t) for t in values(name, others, named)[0][0])
        return tuple(call(row.fun, self, *values(name, others, named)))

    def foreach_(self, *others, **named):
        return call(lambda t, *args, **k: getattr(t, inside)(*args, **k), self, *values(name, others, named))

    for fun, title in ((foreach, f"_foreach_{name}"), (foreach_, f"_foreach_{name}_")):
        if fun is foreach or name not in OUT_OF_PLACE_ALONE:
            fun.__name__ = fun.__qualname__ = title
            fun.__doc__ = f"`{name}` of each tensor of a list{', in place' if fun is foreach_ else ''}."
            PUBLIC[title] = fun


def values(name, others, named):
    """The arguments of the operation, by its own names: a list's are called by what its elements are."""
    named = dict(named)
    if name in ("addcdiv", "addcmul"):
        if "scalars" in named:
            named["value"] = named.pop("scalars")
        if len(others) == 3:  # what has a name in the operation
            *others, named["value"] = others
    return (*others, *[named.pop(k) for k in POSITIONAL if k in named]), named


for _name in UNARY:
    publish(_name)
for _name in BINARY + TERNARY:
    publish(_name)


def _foreach_norm(self, ord=2, dtype=None):
    """The norm of each tensor of a list."""
    check(self)
    return tuple(ROWS["linalg.vector_norm"].fun(t, ord, dtype=dtype) for t in self)


def _foreach_zero_(self):
    """Fill each tensor of a list with zeros."""
    check(self)
    if not zeroed(self):
        for t in self:
            t.zero_()


def _foreach_copy_(self, src, non_blocking=False):
    """Copy each tensor of a list into that of another one."""
    check(self, src)
    for t, s in zip(self, src):
        t.copy_(s)


def _foreach_mm(self, mat2):
    """The product of each pair of matrices of two lists."""
    check(self, mat2)
    return tuple(ROWS["mm"].fun(a, b) for a, b in zip(self, mat2))


PUBLIC |= {f.__name__: f for f in (_foreach_norm, _foreach_zero_, _foreach_copy_, _foreach_mm)}
