"""Mutants of rules are noticed by the checker; `python -m rig mutants` tries those of all primitives."""

import pytest
from rig.mutants import run_mutants
from rig.mutations import mutants

import covector  # noqa: F401 - fills the registry
from covector.core.primitive.primitive import REGISTRY
from covector.testing import CheckError, check

# Each mechanism once: joint rules, several answers, variadic, lazy cotangents, complex, a linear map, kinks.
FAST = ["multiply", "where", "index_update", "concatenate", "absolute", "matmul", "cumsum", "maximum"]


@pytest.mark.parametrize("name", FAST)
def test_mutants_of_each_mechanism_are_killed(name):
    report = run_mutants([name], every=3)
    assert report.survivors == []
    assert report.total > 0


def test_mutants_leave_the_primitive_as_it_was():
    prim = REGISTRY["sin"]
    fun, rules, tables = prim.fun, dict(prim.rules), (prim.jvp, prim.vjp, prim.jvp.real, prim.vjp.real)
    run_mutants(["sin"])
    assert prim.fun is fun and REGISTRY["sin"] is prim
    assert (prim.jvp, prim.vjp, prim.jvp.real, prim.vjp.real) == tables
    assert all(prim.rules[key] is rule for key, rule in rules.items())


def test_failure_names_primitive_rule_operand_sample_and_values():
    mutant = next(m for m in mutants(REGISTRY["sin"]) if m.rule.startswith("jvp") and "1.0005" in m.change)
    with pytest.raises(CheckError, match=r"jvp rule of sin .*operand 'x', sample 0 \(float64\[\]\).*expected"):
        check(mutant.twin)
