"""The promises on derivatives, put to every registered primitive: the registry and its samples are read.

Promise 1 (each rule against finite differences and its adjoint, mutants of each rule) is tests/core/test_primitives.py
and tests/test_mutants.py; here it is put to what takes its rules from functions. Promise 2, random compositions, is
tests/test_fuzz.py and tests/reference/test_fuzz_against_jax.py; promise 17 is tests/testing and tests/compat, too.
"""

import copy
import importlib.util
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from rig.fuzz import disagreement

import covector
from covector.core.errors import RuleError
from covector.core.primitive.primitive import REGISTRY, Rules, bind
from covector.testing import check_grads
from covector.testing.cases import cases


def beside(name):
    """A module of this folder, which is no package."""
    spec = importlib.util.spec_from_file_location(f"promises_{name}", Path(__file__).with_name(f"{name}.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


table = beside("subjects")
HIGHER, NAMES, PRIMITIVES = table.HIGHER, table.NAMES, table.PRIMITIVES
chosen, plain, same, subjects = table.chosen, table.plain, table.same, table.subjects
of, ask = table.promises()
every_primitive = of(table.NAMES)


def test_higher_order_primitives_are_all_here():
    assert set(HIGHER) == {name for name, prim in REGISTRY.items() if prim.handlers is not None}


@pytest.mark.parametrize("name", sorted(HIGHER))
def test_01_derivatives_are_those_of_finite_differences(name):
    (s,) = subjects(name)
    check_grads(s.total, tuple(s.xs))


@every_primitive
def promise_02_routes_agree_in_compositions(name):
    for s in plain(name):
        def run(lib, xs, s=s):
            return np.sin(s.total(*[x + 0.05 * np.sin(x) for x in xs]))

        assert disagreement(SimpleNamespace(run=run, inputs=tuple(s.xs), smooth=True)) is None, s.label


@every_primitive
def promise_03_forward_equals_reverse_at_kinks_too(name):
    for s in subjects(name):
        if not s.real or s.smooth or sum(x.size for x in s.xs) > 24:
            continue
        every = tuple(range(len(s.xs)))
        with np.errstate(all="ignore"):
            same(covector.jacfwd(s.total, every)(*s.xs), covector.jacrev(s.total, every)(*s.xs))


@every_primitive
def promise_04_second_derivatives_are_finite(name):
    for s in subjects(name):
        if s.orders < 2:
            continue
        with np.errstate(all="ignore"):
            first, second = covector.jvp(s.gradient, tuple(s.xs), tuple(s.directions()))
        assert all(np.isfinite(v).all() for v in (*first, *second)), s.label


# Their value at 0 is beyond their domain, a, b > 0: kernels of the incomplete gamma and beta functions.
BEYOND = {"beta_moment", "gamma_moment"}
# Slopes of |x|, chosen at 0: what depends on a choice has no derivative.
UNDEFINED = {"direction", "complex_direction", "unit", "times_direction", "times_complex_direction",
             "times_unit"}


@of(sorted(set(NAMES) - BEYOND - UNDEFINED))
def promise_04_derivative_of_a_finite_value_is_never_nan(name):
    """At 0 and 1, where formulas divide by zero; a complex function has no value for an infinite slope but NaN."""
    for s in chosen(name):
        if any(v.dtype.kind == "c" for v in (*s.xs, *s.answers())):
            continue
        for number in (0.0, 1.0):
            xs = [np.full_like(x, number) for x in s.xs]
            with np.errstate(all="ignore"):
                try:
                    usable = all(np.isfinite(v).all() for v in s.fun(*xs))
                except (ValueError, np.linalg.LinAlgError):  # no inverse, no power of zero
                    continue
                if usable:
                    try:
                        slopes = s.gradient(*xs)
                        tangents = covector.jvp(s.fun, tuple(xs), tuple(s.directions()))[1]
                    except np.linalg.LinAlgError:  # refused: undetermined
                        continue
                    assert not any(np.isnan(v).any() for v in (*slopes, *tangents)), (s.label, number)


def without_rules(prim, table, operand):
    """A twin of the primitive that misses the rules of one operand."""
    twin = copy.copy(prim)
    rules = getattr(prim, table)
    without = [{k: rule for k, rule in kind.items() if k != operand} for kind in (rules, rules.real)]
    setattr(twin, table, Rules(*without))
    twin.rules = {}
    twin.fun = lambda *args: bind(twin, args)  # its fast lanes would be refused when they are made
    return twin


@of(PRIMITIVES)
def promise_05_missing_rule_is_refused(name):
    for s in chosen(name)[:1]:
        prim = s.case.prim
        for i in [0] if prim.variadic else s.case.live:
            for table in ("jvp", "vjp"):
                case = copy.copy(s.case)
                case.prim = without_rules(prim, table, i)
                fun = case.function(case.live, "bind")

                def derive(*xs, table=table, fun=fun):
                    if table == "jvp":
                        return covector.jvp(fun, xs, xs)[1]
                    outs, pullback = covector.vjp(fun, *xs)
                    return pullback(outs)

                if "collective" in prim.effects:  # its rules are those of the mapped function
                    case.prim.effects = frozenset()
                    derive = covector.vmap(derive, axis_name="i")
                with pytest.raises(RuleError, match=f"no {table} rule"):
                    derive(*s.xs)


@of(sorted(n for n in PRIMITIVES if any(REGISTRY[n].nondiff.values())))
def promise_05_derivative_that_nobody_knows_is_refused(name):
    prim = REGISTRY[name]
    case = next(case for case in cases(prim) if all(x.size for x in case.operands))
    for i in [i for i, reason in prim.nondiff.items() if reason]:
        operand = prim.operands[i]
        x = case.operands[i].astype(float)

        def fun(x, i=i):
            return case.raw([*case.operands[:i], x, *case.operands[i + 1 :]])[0].sum()

        for derive in (
            lambda x=x: covector.grad(fun)(x),
            lambda x=x: covector.jvp(fun, (x,), (x,)),
            lambda x=x: covector.vmap(covector.grad(fun))(np.stack([x, x])),
            lambda x=x: covector.grad(lambda xs: covector.vmap(fun)(xs).sum())(np.stack([x, x])),
            lambda x=x: covector.grad(covector.checkpoint(fun))(x),
            lambda x=x: covector.linearize(fun, x)[1](x),
        ):
            with pytest.raises(RuleError, match=f"{name} is not differentiable with respect to its operand "
                                                f"'{operand}'.*stop_gradient"):
                derive()
        fun(x)
        covector.grad(lambda x, fun=fun: fun(covector.stop_gradient(x)) + x.sum())(x)


@of([n for n in PRIMITIVES if not any(REGISTRY[n].nondiff.values())])
def promise_05_operand_without_derivative_has_none(name):
    """A float in place of an integer or a mask is refused, or the answer is flat in it."""
    prim = REGISTRY[name]
    for case in cases(prim):
        for i in prim.nondiff:
            if i >= len(case.operands) or not case.operands[i].size or prim.variadic:
                continue
            operands = list(case.operands)
            x = operands[i].astype(float)

            def fun(x, operands=operands, i=i, case=case):
                operands[i] = x
                return [v for v in case.raw(operands) if v.dtype.kind in "fc"]

            with np.errstate(all="ignore"):
                try:
                    above, below = fun(x + 1e-6), fun(x - 1e-6)
                except (TypeError, IndexError, ValueError):
                    with pytest.raises((TypeError, IndexError, ValueError)):
                        covector.jvp(fun, (x,), (np.ones_like(x),))
                    continue
                if x.all():
                    for a, b in zip(above, below):
                        np.testing.assert_array_equal(a, b)
        break


@every_primitive
def promise_09_derivatives_are_as_quiet_as_the_function(name):
    for s in subjects(name):
        with np.errstate(all="raise"):
            try:
                s.total(*s.xs)
            except FloatingPointError:
                continue
            s.gradient(*s.xs)
            covector.jvp(s.fun, tuple(s.xs), tuple(s.directions()))
            if s.orders > 1:
                covector.jvp(s.gradient, tuple(s.xs), tuple(s.directions()))


@every_primitive
def promise_10_levels_stay_apart(name):
    for s in plain(name):
        every = tuple(range(len(s.xs)))
        slopes = s.gradient(*s.xs)
        size = sum(np.sum(g) for g in slopes)

        def inner(c, s=s, every=every):  # the gradient of c · p(y) in y, summed: c times a constant
            def fun(*ys):
                return c * s.total(*[y + 0.0 * c for y in ys])

            return sum(np.sum(g) for g in covector.grad(covector.checkpoint(fun), every)(*s.xs))

        c = np.array(1.7)
        same([covector.grad(inner)(c), covector.jvp(inner, (c,), (np.array(1.0),))[1]], [size, size])
        same([covector.vmap(covector.grad(inner))(np.stack([c, c]))], [np.stack([size, size])])


@every_primitive
def promise_17_wrong_rules_are_caught_at_first_and_second_order(name):
    for s in plain(name):
        slopes = s.gradient(*s.xs)
        if not any(np.abs(g).max() > 1e-3 for g in slopes):
            continue

        def planted(first, second, s=s):
            wrong = covector.custom_jvp(s.total)

            def rule(primals, tangents):
                out, slope = covector.jvp(s.total, primals, tangents)
                drift = sum(np.sum(x - covector.stop_gradient(x)) for x in primals)
                return out, slope * first * (1.0 + second * drift)

            wrong.defjvp(rule)
            return wrong

        xs = tuple(s.xs)
        check_grads(planted(1.0, 0.0), xs, order=1, rtol=1e-5)
        with pytest.raises(AssertionError, match="check_grads"):
            check_grads(planted(1.01, 0.0), xs, order=1, rtol=1e-5)
        with pytest.raises(AssertionError, match="check_grads"):
            check_grads(planted(1.0, 0.05), xs, order=2, rtol=1e-5)


@pytest.mark.parametrize("name", table.NAMES)
def test_every_promise_is_kept(name):
    ask(name)
