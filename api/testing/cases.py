"""One sample of a primitive as functions of its operands, in each way the library can run it."""

import copy
from collections.abc import Callable, Iterator, Sequence
from itertools import combinations
from typing import Any

import numpy as np

from ..core.arrays.dtypes import is_inexact
from ..core.primitive.primitive import REGISTRY, Primitive, Rules, bind
from ..transforms.interpreters.vmap import vmap
from .compare import wide

ROUTES = ("lane", "bind")  # the public function with its fast lanes, and the general path with the general rules


def find(primitive: Any) -> Primitive:
    """The Primitive behind a public function, a name, or itself."""
    if isinstance(primitive, Primitive):
        return primitive
    if isinstance(primitive, str):
        return REGISTRY[primitive]
    return primitive.prim


class Case:
    """A sample: the operands as arrays, which of them carry derivatives, and the operation on them."""

    def __init__(self, prim: Primitive, sample: Any, number: int, operands: Sequence[Any] | None = None) -> None:
        self.prim = prim
        self.sample = sample
        self.number = number
        given = sample.operands if operands is None else operands
        self.operands = [np.asarray(x) for x in given]
        defaults = prim.impl.__kwdefaults__ or {}
        self.named = {name: sample.params.get(name, defaults.get(name)) for name in prim.params}
        self.params = tuple(self.named.values())
        dead = prim.nondiff
        self.live = tuple(
            i for i, x in enumerate(self.operands) if is_inexact(x.dtype) and (prim.variadic or i not in dead)
        )
        if prim.flat:
            self.live = ()
        self.twin: Any = None

    def general(self) -> Primitive:
        """The primitive without rules for real floats, which take the place of the general ones of most samples."""
        if self.twin is None or self.twin[0] is not self.prim:
            twin: Any = copy.copy(self.prim)
            twin.vjp, twin.rules, twin.slopes = Rules(self.prim.vjp), {}, {}
            self.twin = self.prim, twin
        return self.twin[1]

    def widened(self) -> "Case":
        """The same sample in double precision."""
        return Case(self.prim, self.sample, self.number, [wide(x) for x in self.operands])

    def narrowed(self) -> "Case":
        """The same sample in single precision."""
        narrow = {"f": np.float32, "c": np.complex64}
        return Case(self.prim, self.sample, self.number,
                    [x.astype(narrow[x.dtype.kind]) if x.dtype.kind in narrow else x for x in self.operands])

    @property
    def precise(self) -> bool:
        """Tell whether operands and output are in double precision, so that 1e-9 is a fair demand."""
        dtypes = [x.dtype for x in self.operands] + [np.dtype(v.dtype) for v in self.raw(self.operands)]
        return all(d.itemsize >= (16 if d.kind == "c" else 8) for d in dtypes if is_inexact(d))

    def name(self, i: int) -> Any:
        """The declared name of operand `i`."""
        return f"*{self.prim.operands[0]}[{i}]" if self.prim.variadic else self.prim.operands[i]

    def names(self, active: Sequence[int]) -> str:
        """The names of several operands."""
        return ", ".join(repr(self.name(i)) for i in active) or "no operand"

    def raw(self, operands: Sequence[Any], route: str = "lane") -> list[Any]:
        """The outputs on `operands` (arrays or tracers), always as a list."""
        if "collective" in self.prim.effects:
            answer = vmap(lambda *xs: self._apply(xs, route), axis_name="i")(*operands)
        else:
            answer = self._apply(operands, route)
        return list(answer) if isinstance(answer, tuple) else [answer]

    def _apply(self, operands: Sequence[Any], route: str) -> Any:
        if route == "bind":
            return bind(self.general(), (*operands, *self.params))
        return self.prim.fun(*operands, **self.named)

    def gauged(self, operands: Sequence[Any], route: str = "lane") -> list[Any]:
        """The outputs, through the sample's gauge if it has one."""
        out = self.raw(operands, route)
        if self.sample.gauge is not None:
            out = self.sample.gauge(*out)
            out = list(out) if isinstance(out, (tuple, list)) else [out]
        return out

    def answers(self, operands: Sequence[Any], route: str = "lane") -> list[Any]:
        """Those that carry derivatives."""
        return [v for v in self.gauged(operands, route) if is_inexact(np.dtype(v.dtype))]

    def function(self, active: Sequence[int], route: str = "lane") -> Callable[..., tuple]:
        """The differentiable outputs as a function of the operands `active`; the others stay as they are."""

        def fun(*xs: Any) -> tuple:
            operands = list(self.operands)
            for i, x in zip(active, xs):
                operands[i] = x
            return tuple(self.answers(operands, route))

        return fun

    def points(self, active: Sequence[int]) -> list[Any]:
        """The operands `active`."""
        return [self.operands[i] for i in active]

    def subsets(self) -> Iterator[tuple[int, ...]]:
        """Yield the sets of operands to differentiate together: each alone, all pairs, all."""
        n = len(self.live)
        sizes = range(1, n + 1) if n <= 3 else (1, n)
        for k in sizes:
            yield from combinations(self.live, k)

    def __str__(self) -> str:
        shown = ", ".join(f"{x.dtype.name}{list(x.shape)}" for x in self.operands)
        named = "".join(f", {k}={v!r}" for k, v in self.named.items())
        return f"sample {self.number} ({shown}{named})"


def cases(prim: Primitive, seed: int = 0) -> list[Case]:
    """All samples of a primitive; seeded, so that a failure is found again."""
    return [Case(prim, sample, k) for k, sample in enumerate(prim.samples(np.random.default_rng(seed)))]
