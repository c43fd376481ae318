"""Breaking rules: each rule of a primitive in every way that can be derived from it."""

import copy
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from covector.core.primitive.primitive import Formula, Primitive, Rules
from covector.core.tape.scatter import Scatter
from covector.core.tape.unbroadcast import conj
from covector.core.trace.tracer import Batched, Staged, Tracer
from covector.testing.cases import cases

TABLES = ("jvp", "jvp real", "vjp", "vjp real")
_SCALE = 1.0005
_RECORDS = 400


class Mutant(NamedTuple):
    """One broken rule: which primitive, which rule, how it was broken, and the primitive with it."""

    primitive: str
    rule: str
    change: str
    twin: Primitive
    verdict: Callable[[], str]  # of a survivor: "survived", "equivalent" (same outputs in every call) or "unreached"
    crash_counts: bool  # whether an exception other than CheckError is the expected way to notice

    def __str__(self) -> str:
        return f"{self.primitive}: {self.rule}, {self.change}"


def mutants(prim: Primitive) -> Iterator[Mutant]:
    """All mutants of a primitive."""
    seen: set[int] = set()
    for name in TABLES:
        table = table_of(prim, name)
        for formula in dict.fromkeys(table.values()):
            if id(formula) in seen:
                continue
            seen.add(id(formula))
            shown = _shown(prim, name, formula)
            for change, broken in _changes(prim, name, formula):
                calls = Calls(formula.fn, optional=name.endswith(" real"))
                twin = _twin(prim, formula, Formula(calls.with_(broken), formula.names, formula.operands))
                yield Mutant(prim.name, shown, change, twin, calls.verdict, False)
    yield from _structural(prim)
    yield from _batch_mutants(prim)


def _shown(prim: Any, table: str, formula: Formula) -> str:
    kind, _, plain = table.partition(" ")
    operands = prim.operands if formula.operands == "all" else [prim.operands[i] for i in formula.operands]
    return f"{kind} of {', '.join(operands)}{' (plain)' if plain else ''}"


def _twin(prim: Primitive, old: Any = None, new: Any = None) -> Primitive:
    """A copy of the primitive, outside the registry, with one formula replaced in every table that holds it."""
    twin = copy.copy(prim)
    twin.slopes = {}  # strong zeros run the formula that was replaced, too
    for name in TABLES:
        table = table_of(prim, name)
        _set_table(twin, name, {k: new if f is old and old is not None else f for k, f in table.items()})
    return _with_lane(twin)


def table_of(prim: Primitive, name: str) -> dict[Any, Formula]:
    """One of the `TABLES` of a primitive."""
    kind, _, real = name.partition(" ")
    rules = getattr(prim, kind)
    return rules.real if real else rules


def _set_table(twin: Primitive, name: str, table: dict[Any, Formula]) -> None:
    kind, _, real = name.partition(" ")
    rules = getattr(twin, kind)
    setattr(twin, kind, Rules(rules, table) if real else Rules(table, dict(rules.real)))


def _with_lane(twin: Any) -> Primitive:
    twin.rules = {}
    twin.fun = twin.lane(twin)
    twin.fun.prim = twin
    return twin


class Calls:
    """Calls of a rule, and on plain arrays what the right rule and the broken one output."""

    def __init__(self, right: Callable[..., Any], optional: bool = False) -> None:
        self.right = right
        self.optional = optional
        self.different = False
        self.reached = False
        self.compared = 0

    def with_(self, broken: Callable[..., Any]) -> Callable[..., Any]:
        """`broken`, compared with the right rule in its first calls."""

        def rule(*args: Any) -> Any:
            out = broken(*args)
            self.compare(out, self.right, args)
            return out

        return rule

    def compare(self, out: Any, right: Callable[..., Any], args: Any) -> None:
        """Note whether `out` is what `right` outputs."""
        self.reached = self.reached or not any(type(x) is Staged for x in args)  # which is written down, not run
        if self.compared < _RECORDS and (out is None or not _holds_tracer(args)):
            self.compared += 1
            self.different = self.different or not _identical(out, right(*args))

    def verdict(self) -> str:
        """What a mutant that was not noticed is; nothing is proven by a rule that was never called."""
        if self.optional and not self.reached:
            return "unreached"
        return "survived" if self.different or not self.compared else "equivalent"


def _holds_tracer(value: Any) -> bool:
    if isinstance(value, (tuple, list)):
        return any(map(_holds_tracer, value))
    return isinstance(_values(value), (Tracer, Scatter))


def _values(value: Any) -> Any:
    """All examples of a batched value over a plain array; other values as they are."""
    return value.value if type(value) is Batched and not isinstance(value.value, Tracer) else value


def _identical(a: Any, b: Any) -> bool:
    if isinstance(a, (tuple, list)):
        return len(a) == len(b) and all(map(_identical, a, b))
    if a is None or b is None:
        return a is b
    a, b = _values(_dense(a)), _values(_dense(b))
    if isinstance(a, Tracer) or isinstance(b, Tracer):
        return False
    a, b = np.asarray(a), np.asarray(b)
    return a.shape == b.shape and a.dtype == b.dtype and bool(np.all((a == b) | ((a != a) & (b != b))))


def _dense(c: Any) -> Any:
    return c.dense() if type(c) is Scatter else c


def _changes(prim: Primitive, table: str, formula: Formula) -> Iterator[tuple[str, Callable[..., Any]]]:
    fn = formula.fn

    def after(change: Callable[[Any], Any], part: int | None) -> Callable[..., Any]:
        def rule(ct: Any, *args: Any) -> Any:
            out = fn(ct, *args)
            if isinstance(out, (tuple, list)):
                return type(out)(c if part not in (None, k) else _applied(change, c) for k, c in enumerate(out))
            return _applied(change, out)

        return rule

    parts: Sequence[int | None] = (None,)
    if table.startswith("jvp") and prim.outputs is not None:
        parts = range(prim.count(cases(prim)[0].params))
    elif table.startswith("vjp") and formula.operands != "all" and len(formula.operands) > 1:
        parts = range(len(formula.operands))
    for part in parts:
        at = "" if part is None else f" of result {part}"
        yield f"sign flipped{at}", after(lambda c: -c, part)
        yield f"zero{at}", after(lambda c: c * 0.0, part)
        yield f"scaled by {_SCALE}{at}", after(lambda c: c * _SCALE, part)

    def conjugated(ct: Any, *args: Any) -> Any:
        return _each(conj, fn(_each(conj, ct), *args))

    if not table.endswith(" real"):  # the rules for real floats have none
        yield "conjugate dropped", conjugated


def _applied(change: Callable[[Any], Any], c: Any) -> Any:
    return None if c is None else change(_dense(c))


def _each(change: Callable[[Any], Any], value: Any) -> Any:
    if isinstance(value, (tuple, list)):
        return type(value)(_each(change, v) for v in value)
    return _applied(change, value)


class _Unfixed(Primitive):
    """A primitive whose reverse rules skip the un-broadcast and the cast."""

    calls: Calls
    dropped: dict[int, Any]

    def rule(self, active: tuple[int, ...], plain: bool = False, *more: Any) -> Any:
        rule = super().rule(active, plain, *more)
        if id(rule) not in self.dropped:
            self.dropped[id(rule)] = rule
            bare: Any = copy.copy(self)
            bare.__class__ = Primitive
            bare.rules = {}
            if not plain:
                bare.vjp = Rules(self.vjp)
            self._drop(rule, bare.rule(active, True))
        return rule

    def _drop(self, full: Any, bare: Any) -> None:
        right, spots = full.back, [full.names.index(n) for n in bare.names]

        def back(ct: Any, saved: Any) -> Any:
            record = (saved,) if len(full.names) == 1 else saved
            given = [record[k] for k in spots]
            out = bare.back(ct, None if not given else given[0] if len(given) == 1 else tuple(given))
            self.calls.compare(out, right, (ct, saved))
            return out

        full.back = full.strong = back


def _structural(prim: Primitive) -> Iterator[Mutant]:
    """The un-broadcast dropped, and the rules of two operands swapped."""
    if prim.vjp and not prim.variadic and all(len(f.operands) == 1 for f in prim.vjp.values()):
        twin: Any = copy.copy(prim)
        twin.__class__ = _Unfixed
        twin.calls, twin.dropped = Calls(prim.run), {}
        yield Mutant(prim.name, "vjp", "un-broadcast and cast dropped", _with_lane(twin), twin.calls.verdict, True)
    for name in TABLES:
        table = table_of(prim, name)
        if name.endswith(" real") and table is table_of(prim, name[:3]):
            continue
        singles = [i for i, f in table.items() if f.operands != "all" and len(f.operands) == 1]
        for i, j in zip(singles, singles[1:]):
            yield _swapped(prim, name, table, i, j)
    if prim.variadic and prim.vjp and prim.vjp[0].operands != "all":
        formula = prim.vjp[0]
        calls = Calls(formula.fn)
        broken = calls.with_(lambda ct, i, *args: formula.fn(ct, max(i - 1, 0), *args))
        twin = _twin(prim, formula, Formula(broken, formula.names, formula.operands))
        yield Mutant(prim.name, f"vjp of *{prim.operands[0]}", "rules swapped", twin, calls.verdict, True)


def _swapped(prim: Primitive, name: str, table: dict[int, Formula], i: int, j: int) -> Mutant:
    """Operand i differentiated by the rule of j, and the other way round."""
    calls = [Calls(table[k].fn, optional=name.endswith(" real")) for k in (i, j)]
    comparable = table[i].names == table[j].names

    def one(call: Calls, source: Formula, operand: int) -> Formula:
        def noted(*args: Any) -> Any:
            call.reached = True
            call.different = True
            return source.fn(*args)

        return Formula(call.with_(source.fn) if comparable else noted, source.names, (operand,))

    twin = _twin(prim)
    _set_table(twin, name, {**table, i: one(calls[0], table[j], i), j: one(calls[1], table[i], j)})

    def verdict() -> str:
        found = {call.verdict() for call in calls}
        return next(v for v in ("survived", "unreached", "equivalent") if v in found)

    return Mutant(prim.name, f"{name} of {prim.operands[i]}, {prim.operands[j]}", "rules swapped", _with_lane(twin),
                  verdict, True)


def _batch_mutants(prim: Primitive) -> Iterator[Mutant]:
    changes: dict[str, Callable[[Any], Any]] = {
        "sign flipped": lambda v: ~v if v.dtype.kind in "biu" else -v,
        "zero": lambda v: v ^ v if v.dtype.kind in "biu" else v * 0.0,
        "examples rotated": lambda v: np.roll(v, 1, 0) if isinstance(v, np.ndarray) else v,
        f"scaled by {_SCALE}": lambda v: v if v.dtype.kind in "biu" else v * _SCALE,
    }
    if "collective" in prim.effects:
        return
    for change, apply in changes.items():
        calls = Calls(prim.batch)
        twin = _twin(prim)
        right = prim.batch
        twin.batch = calls.with_(lambda *args, right=right, apply=apply: _each(apply, right(*args)))
        yield Mutant(prim.name, "batch", change, _with_lane(twin), calls.verdict, False)
