"""Operations of lists of tensors, `torch._foreach_*`."""

import numpy as np

from harness import attempt, table

UNARY = """abs acos asin atan ceil clone cos cosh erf erfc exp expm1 floor frac lgamma log log10 log1p log2 max neg
reciprocal round rsqrt sigmoid sign sin sinh sqrt tan tanh trunc""".split()
BINARY = "add clamp_max clamp_min div maximum minimum mul pow sub".split()


def lists(T, n):
    """Lists of two tensors."""
    rng = np.random.default_rng(0)
    return [[T.tensor(rng.uniform(0.1, 0.9, s)) for s in ((2, 3), (3,))] for _ in range(n)]


def script_values(T):
    (a, b, c), found = lists(T, 3), []
    found += [list(getattr(T, f"_foreach_{name}")(a)) for name in UNARY]
    found += [list(getattr(T, f"_foreach_{name}")(a, other)) for name in BINARY for other in (b, 2.0, [2.0, 3.0])]
    found += [list(getattr(T, f"_foreach_{name}")(a, b, c, *v)) for name in ("addcdiv", "addcmul")
              for v in ((), (0.5,), ([0.5, 2.0],))]
    found += [list(T._foreach_lerp(a, b, 0.3)), list(T._foreach_lerp(a, b, c)), list(T._foreach_add(a, b, alpha=2))]
    return [*found, list(T._foreach_norm(a)), list(T._foreach_norm(a, 1)), list(T._foreach_pow(2.0, a))]


def script_named_arguments(T):
    (a, b, c), found = lists(T, 3), []
    for name in BINARY:
        one, many, numbers = ("exponent",) * 3 if name == "pow" else ("scalar", "other", "scalars")
        fun = getattr(T, f"_foreach_{name}")
        found += [list(fun(a, **{one: 2.0})), list(fun(self=a, **{many: b})), list(fun(a, **{numbers: [2.0, 3.0]}))]
    found += [list(T._foreach_lerp(a, weight=0.3, tensors1=b)), list(T._foreach_lerp(a, tensors1=b, weights=c))]
    found += [list(T._foreach_addcmul(a, tensor2=c, tensor1=b, value=0.5)), list(T._foreach_pow(2.0, exponent=a)),
              list(T._foreach_addcdiv(a, b, tensor2=c, scalars=[0.5, 2.0])),
              list(T._foreach_mm(self=a[:1], mat2=[b[0].T]))]
    T._foreach_mul_(a, scalar=0.5)
    T._foreach_lerp_(self=b, tensors1=c, weight=0.25)
    return [*found, a, b, attempt(lambda: T._foreach_mul(a, nothing=2.0))[1]]


def script_in_place(T):
    found = []
    for name in [n for n in UNARY if n not in ("clone", "max")] + BINARY:
        a, b = lists(T, 2)
        getattr(T, f"_foreach_{name}_")(a, *([b] if name in BINARY else []))
        found.append(a)
    a, b, c = lists(T, 3)
    T._foreach_addcdiv_(a, b, c, -0.5)
    T._foreach_lerp_(b, c, 0.3)
    T._foreach_zero_(c)
    return found, a, b, c


def script_refusals(T):
    a, b = lists(T, 2)
    return table([lambda: T._foreach_add([], []), lambda: T._foreach_add(a, b[:1]), lambda: T._foreach_add(a, [1.0])])
