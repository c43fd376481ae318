"""Single ordinary operations on 600 and on 300,000 elements, the stateful layer against PyTorch."""

from functools import partial
from types import ModuleType

import numpy
from case import COVECTOR, TORCH, Bound, Timed, arrays
from libraries import torch

import covector.compat.torch as compat

LIMITS = {"small": 3.0, "large": 2.0}
SIZES = {"small": (20, 30), "large": (500, 600)}


class Given:
    """The operands of one size: matrices, places in them, and vectors, made from one seed."""

    def __init__(self, library: ModuleType, shape: tuple[int, int], dtype: str) -> None:
        rng = numpy.random.default_rng(0)
        rows, columns = shape
        self.rows, self.columns = shape
        self.x, self.y = (self._floats(library, rng.standard_normal(shape), dtype) for _ in range(2))
        self.p = self._floats(library, rng.uniform(0.2, 3.0, shape), dtype)
        self.near_one = self._floats(library, rng.uniform(0.99, 1.01, shape), dtype)
        self.u, self.v = (self._floats(library, rng.standard_normal(n), dtype) for n in shape)
        self.heads = self._floats(library, rng.standard_normal((2, 4, max(8, rows // 4), 32)), dtype)
        self.k = library.from_numpy(rng.integers(-50, 50, shape))
        self.m = library.from_numpy(rng.integers(1, 9, shape))
        self.mask = library.from_numpy(rng.random(shape) < 0.3)
        self.row_places = library.from_numpy(rng.integers(0, rows, rows))
        self.places = library.from_numpy(rng.integers(0, rows, shape))
        self.each_place = library.from_numpy(rng.random(shape).argsort(0))
        self.columns_of = library.from_numpy(rng.integers(0, columns, shape))
        self.classes = library.from_numpy(rng.integers(0, 10, rows))

    def _floats(self, library, values, dtype):
        return library.from_numpy(values.astype(dtype))


def _loss(name, **given):
    return lambda t, g, x: getattr(t.nn.functional, name)(x, g.y, **given)


def _plain(name, *given):
    return lambda t, g, x: getattr(t, name)(x, *given)


def _attend(causal):
    return lambda t, g, x: t.nn.functional.scaled_dot_product_attention(x, x, x, is_causal=causal)


# Name: what is called with the library, the operands and the differentiated one; which that is. Without one, the
# operation has no gradient.
DIFFERENTIATED = {
    "to_half": (lambda t, g, x: x.half(), "x"),
    "to_double": (lambda t, g, x: x.double(), "x"),
    "remainder": (lambda t, g, x: t.remainder(x, g.y), "x"),
    "remainder_scalar": (lambda t, g, x: x % 0.7, "x"),
    "fmod": (lambda t, g, x: t.fmod(x, g.y), "x"),
    "prod_rows": (lambda t, g, x: x.prod(1), "near_one"),
    "prod_columns": (lambda t, g, x: x.prod(0), "near_one"),
    "prod": (lambda t, g, x: x.prod(), "near_one"),
    "smooth_l1_loss": (_loss("smooth_l1_loss"), "x"),
    "huber_loss": (_loss("huber_loss", delta=0.7), "x"),
    "l1_loss": (_loss("l1_loss"), "x"),
    "mse_loss": (_loss("mse_loss"), "x"),
    "kl_div": (lambda t, g, x: t.nn.functional.kl_div(x, g.p, reduction="batchmean"), "x"),
    "outer": (lambda t, g, u: t.outer(u, g.v), "u"),
    "flip": (lambda t, g, x: x.flip(1), "x"),
    "flip_rows": (lambda t, g, x: x.flip(0), "x"),
    "roll": (lambda t, g, x: x.roll(3, 1), "x"),
    "cumsum": (_plain("cumsum", 1), "x"),
    "cumsum_columns": (_plain("cumsum", 0), "x"),
    "cumprod": (_plain("cumprod", 1), "near_one"),
    "fft": (lambda t, g, x: t.view_as_real(t.fft.fft(x)), "x"),
    "rfft": (lambda t, g, x: t.view_as_real(t.fft.rfft(x)), "x"),
    "tril": (_plain("tril"), "x"),
    "triu": (_plain("triu", 1), "x"),
    "lgamma": (_plain("lgamma"), "p"),
    "scatter": (lambda t, g, x: t.zeros_like(g.x).scatter(0, g.each_place, x), "x"),
    "scatter_add": (lambda t, g, x: t.zeros_like(g.x).scatter_add(0, g.places, x), "x"),
    "gather": (lambda t, g, x: x.gather(1, g.columns_of), "x"),
    "index_select": (lambda t, g, x: x.index_select(0, g.row_places), "x"),
    "index_add": (lambda t, g, x: t.zeros_like(g.x).index_add(0, g.row_places, x), "x"),
    "index": (lambda t, g, x: x[g.row_places], "x"),
    "masked_fill": (lambda t, g, x: x.masked_fill(g.mask, 0.0), "x"),
    "where": (lambda t, g, x: t.where(g.mask, x, g.y), "x"),
    "sum": (_plain("sum"), "x"),
    "sum_rows": (_plain("sum", 1), "x"),
    "mean": (_plain("mean"), "x"),
    "var": (_plain("var", 1), "x"),
    "norm": (lambda t, g, x: x.norm(), "x"),
    "norm_rows": (lambda t, g, x: x.norm(dim=1), "x"),
    "logsumexp": (_plain("logsumexp", 1), "x"),
    "max_rows": (lambda t, g, x: x.max(1).values, "x"),
    "amax": (_plain("amax", 1), "x"),
    "topk": (lambda t, g, x: x.topk(5, 1).values, "x"),
    "sort": (lambda t, g, x: x.sort(1).values, "x"),
    "log_softmax": (_plain("log_softmax", 1), "x"),
    "softmax": (_plain("softmax", 1), "x"),
    "sigmoid": (_plain("sigmoid"), "x"),
    "tanh": (_plain("tanh"), "x"),
    "exp": (_plain("exp"), "x"),
    "log": (_plain("log"), "p"),
    "sin": (_plain("sin"), "x"),
    "sqrt": (_plain("sqrt"), "p"),
    "pow": (_plain("pow", 3), "x"),
    "pow_half": (_plain("pow", 1.5), "p"),
    "abs": (_plain("abs"), "x"),
    "clamp": (_plain("clamp", -0.5, 0.5), "x"),
    "clone": (_plain("clone"), "x"),
    "add": (lambda t, g, x: x + g.y, "x"),
    "mul": (lambda t, g, x: x * g.y, "x"),
    "div": (lambda t, g, x: x / g.p, "x"),
    "add_row": (lambda t, g, x: x + g.v, "x"),
    "atan2": (lambda t, g, x: t.atan2(x, g.y), "x"),
    "maximum": (lambda t, g, x: t.maximum(x, g.y), "x"),
    "lerp": (lambda t, g, x: t.lerp(x, g.y, 0.3), "x"),
    "cat": (lambda t, g, x: t.cat([x, g.y]), "x"),
    "stack": (lambda t, g, x: t.stack([x, g.y]), "x"),
    "transposed": (lambda t, g, x: x.t().contiguous(), "x"),
    "repeat": (lambda t, g, x: x.repeat(2, 2), "x"),
    "repeat_interleave": (lambda t, g, x: x.repeat_interleave(2, 0), "x"),
    "pad": (lambda t, g, x: t.nn.functional.pad(x, (1, 2)), "x"),
    "attention": (_attend(False), "heads"),
    "attention_causal": (_attend(True), "heads"),
}
VALUES = {
    "floor": lambda t, g: g.x.floor(),
    "ceil": lambda t, g: g.x.ceil(),
    "round": lambda t, g: g.x.round(),
    "trunc": lambda t, g: g.x.trunc(),
    "remainder_int": lambda t, g: g.k % g.m,
    "floor_divide": lambda t, g: g.x // g.y,
    "floor_divide_int": lambda t, g: g.k // g.m,
    "to_int": lambda t, g: g.x.long(),
    "from_int": lambda t, g: g.k.to(g.x.dtype),
    "from_half": lambda t, g: g.x.half().float(),
    "triu_indices": lambda t, g: t.triu_indices(g.rows, g.columns),
    "tril_indices": lambda t, g: t.tril_indices(g.rows, g.columns),
    "one_hot": lambda t, g: t.nn.functional.one_hot(g.classes, 10),
    "argmax": lambda t, g: g.x.argmax(1),
    "argsort": lambda t, g: g.x.argsort(1),
    "greater": lambda t, g: g.x > g.y,
    "isnan": lambda t, g: g.x.isnan(),
    "nonzero": lambda t, g: g.mask.nonzero(),
    "masked_select": lambda t, g: g.x[g.mask],
    "any": lambda t, g: g.mask.any(),
    "arange": lambda t, g: t.arange(g.rows * g.columns),
    "linspace": lambda t, g: t.linspace(0, 1, g.rows * g.columns),
    "zeros": lambda t, g: t.zeros(g.rows, g.columns),
    "full": lambda t, g: t.full((g.rows, g.columns), 2.5),
    "eye": lambda t, g: t.eye(g.rows),
}
# The streams of two libraries differ, so only shapes and dtypes can be compared.
DRAWN = {
    "randn": lambda t, g: t.randn(g.rows, g.columns),
    "rand": lambda t, g: t.rand(g.rows, g.columns),
    "randint": lambda t, g: t.randint(0, 100, (g.rows, g.columns)),
    "randperm": lambda t, g: t.randperm(g.rows * g.columns),
    "bernoulli": lambda t, g: t.bernoulli(t.full_like(g.x, 0.3)),
    "dropout": lambda t, g: t.nn.functional.dropout(g.x, 0.3),
    "multinomial": lambda t, g: t.multinomial(g.p, 5, replacement=True),
}


def _forward(library, given, fun):
    def step():
        with library.no_grad():
            return fun(library, given)

    return step


def _differentiated(library, given, fun, operand, backward):
    x = getattr(given, operand)
    if not backward:
        return _forward(library, given, lambda t, g: fun(t, g, x))
    x = x.clone().requires_grad_()
    out = fun(library, given, x)
    ct = numpy.random.default_rng(1).uniform(0.5, 1.5, tuple(out.shape))
    cotangent = library.from_numpy(numpy.asarray(ct)).to(out.dtype)
    return lambda: library.autograd.grad(fun(library, given, x), x, cotangent)


def _values(result):
    return [a + 0 for a in arrays(result)]  # truth values as numbers, of which differences can be taken


def _kinds(result):
    return [numpy.zeros(a.shape, a.dtype) for a in arrays(result)]


def _row(name, what, given, make, limit, check=arrays):
    sides = {side: make(library, operands) for side, (library, operands) in given.items()}
    return Timed(f"ordinary-{name}", what, sides, check, (Bound(limit, TORCH),), tolerance=2e-3)


def cases(dtype: str = "float32") -> list[Timed]:
    """A row for each operation, size and direction."""
    found = []
    libraries = {COVECTOR: compat} if torch is None else {COVECTOR: compat, TORCH: torch}
    for size, shape in SIZES.items():
        limit, words = LIMITS[size], f"on {shape[0]} x {shape[1]}"
        given = {side: (library, Given(library, shape, dtype)) for side, library in libraries.items()}
        for name, (fun, operand) in DIFFERENTIATED.items():
            for backward in (False, True):
                make = partial(_differentiated, fun=fun, operand=operand, backward=backward)
                suffix, how = ("-backward", "with its gradient") if backward else ("", "forward")
                found.append(_row(f"{name}-{size}{suffix}", f"{name} {words}, {how}", given, make, limit))
        for table, check in ((VALUES, _values), (DRAWN, _kinds)):
            for name, fun in table.items():
                make = partial(_forward, fun=fun)
                found.append(_row(f"{name}-{size}", f"{name} {words}, values", given, make, limit, check))
    return found
