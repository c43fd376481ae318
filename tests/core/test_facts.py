"""What statements say beside the rules: optional facts and their readers, and how a view is put back."""

import re
from collections import defaultdict
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import covector  # noqa: F401 - fills the registry
from covector.core import facts
from covector.core.errors import RuleError
from covector.core.primitive.primitive import REGISTRY
from covector.extend import primitive
from covector.testing.cases import cases

ROOT = Path(__file__).resolve().parents[2]
TEXT = Path(ROOT, "core", "facts.py").read_text(encoding="utf-8").partition("class Operation")[0]
TEXT = re.sub(r"^( +#.*)\n( +\w.*)$", r"\2\1", TEXT, flags=re.M)
ROWS = re.findall(r"^ +(\w+)(?:: Any)? = \w+ +# .*; (.*)$", TEXT, re.M)


@cache
def readers_of_attributes():
    """Attribute of a primitive -> the files that read it, those of compat as one."""
    found = defaultdict(set)
    for path in (path for layer in ("core", "transforms", "api", "compat", "tests/testing/rig")
                 for path in Path(ROOT, layer).rglob("*.py")):
        name = path.relative_to(ROOT).as_posix()
        owner = rf"(?:\bprim|\btwin|REGISTRY\[.*?\]{'|self' * (path.name == 'primitive.py')})"
        for attribute in re.findall(rf"{owner}\.(\w+)\b(?! = )", path.read_text(encoding="utf-8")):
            found[attribute].add("compat/torch" if name.startswith("compat") else name)
    return found


@pytest.mark.parametrize(("fact", "readers"), ROWS)
def test_optional_fact_has_the_one_or_two_readers_that_its_line_names(fact, readers):
    assert readers_of_attributes()[fact] == set(readers.split(", "))
    assert len(readers.split(", ")) <= 2
    assert any(getattr(prim, fact) not in (None, False) for prim in REGISTRY.values())


def test_every_fact_names_its_readers():
    assert [fact for fact, _ in ROWS] == [fact for fact in facts.FACTS if fact not in facts.TRAITS]


def test_fact_that_nothing_reads_is_refused():
    with pytest.raises(RuleError, match=r"example_typo gives 'qiuet'.*the optional facts are .*quiet"):
        primitive("example_typo", impl=lambda xp, x: x, shape=lambda x: x, batch=lambda x: x, qiuet=True,
                  jvp={"x": lambda dx: dx}, vjp={"x": lambda ct: ct}, samples=lambda rng: [])
    assert "example_typo" not in REGISTRY


def test_batch_params_that_ask_for_an_unknown_name_are_refused():
    with pytest.raises(RuleError, match=r"batch_params of example_typo asks for 'axes'.*size, x_shape"):
        primitive("example_typo", impl=lambda xp, x: x, shape=lambda x: x, batch_params=lambda axes: (),
                  jvp={"x": lambda dx: dx}, vjp={"x": lambda ct: ct}, samples=lambda rng: [])


VIEWS = sorted(name for name, prim in REGISTRY.items() if prim.unview is not None and name != "broadcast_to")


def test_every_view_says_how_it_is_put_back():
    assert {name for name, prim in REGISTRY.items() if prim.view} <= {*VIEWS, "broadcast_to"}


@pytest.mark.parametrize("name", VIEWS)
def test_what_is_put_back_is_read_again_and_nothing_else_changes(name):
    prim = REGISTRY[name]
    for case in cases(prim):
        (x,), params = case.operands, case.params
        if name == "imag" and x.dtype.kind != "c":
            with pytest.raises(ValueError, match="imaginary part of a real array"):
                prim.unview(x, x, *params)
            continue
        if name == "pick" and len(np.unique(params[0].index)) < params[0].index.size:
            continue  # a place that is taken twice cannot hold two values
        old = prim.impl(np, x, *params)
        new = np.asarray(old + np.arange(1, 1 + np.size(old)).reshape(np.shape(old)), np.asarray(old).dtype)
        whole = prim.unview(x, new, *params)
        np.testing.assert_array_equal(prim.impl(np, whole, *params), new)
        np.testing.assert_array_equal(prim.unview(whole, old, *params), x)
