"""Nests of plain containers, taken apart with optree and without it."""

import subprocess
import sys
from collections import OrderedDict, namedtuple

import numpy as np
import optree
import pytest

from covector.transforms.arguments.arguments import NAMESPACE, Nest, Rebuild, nest_of

Pair = namedtuple("Pair", "a b")
TREES = {
    "nothing": None, "an empty tuple": (), "an empty list in a dict": {"a": []}, "a number": 1.0,
    "names out of order": {"b": 1.0, "a": {"d": 2.0, "c": np.ones(2)}},
    "None inside": (None, [1.0, None], {"x": None}), "a NumPy integer": [np.int32(1), True],
    "deep": [[[[(1.0, {"k": (2.0, [3j])})]]]],
}


def both(tree):
    leaves, spec = optree.tree_flatten(tree, namespace=NAMESPACE)
    found = []
    return nest_of(tree, found), found, Rebuild(spec), leaves


@pytest.mark.parametrize("name", TREES)
def test_a_nest_is_taken_apart_as_optree_does_it(name):
    nest, found, other, leaves = both(TREES[name])
    assert all(a is b for a, b in zip(found, leaves, strict=True)) and nest.count == other.count == len(leaves)
    assert repr(nest(leaves)) == repr(other(leaves)) == repr(TREES[name])  # dicts in their own order, too
    assert nest == other and other == nest and hash(nest) == hash(other) and nest.spec == other.spec


@pytest.mark.parametrize("name", TREES)
def test_what_differs_is_told_apart(name):
    nest, _, spec, _ = both(TREES[name])
    for other in TREES:
        if other != name:
            found, _, rebuild, _ = both(TREES[other])
            assert nest != found and nest != rebuild and spec != found and nest != 1


def test_the_order_of_names_is_no_part_of_a_structure():
    assert nest_of({"a": 1.0, "b": (2.0,)}, []) == nest_of({"b": (3.0,), "a": 4.0}, [])


@pytest.mark.parametrize("tree", [Pair(1.0, 2.0), OrderedDict(a=1.0), {1: 2.0}, {"a": object()}, [range(3)]])
def test_what_is_not_plain_is_left_to_optree(tree):
    assert nest_of(tree, []) is None


PROGRAM = """
import sys
import numpy as np
import covector as cv

params = {"out": {"w": np.ones(3)}, "in": [(np.ones((3, 3)), None)]}

def loss(params, x):
    (w, _), = params["in"]
    state, ys = cv.scan(lambda s, _: ({"h": np.tanh(w @ s["h"])}, s["h"].sum()), {"h": x}, None, length=4)
    state = cv.fori_loop(0, 2, lambda i, s: {"h": s["h"] * 1.5}, state)
    return params["out"]["w"] @ state["h"] + ys.sum()

x = np.linspace(0.1, 0.3, 3)
f = cv.jit(cv.value_and_grad(loss))
first = f(params, x)
assert "optree" not in sys.modules
assert list(first[1]) == ["out", "in"] and first[1]["in"][0][1] is None
seen = f.cache_info()
cv.tree.map(np.sin, params)
assert "optree" in sys.modules
again = cv.value_and_grad(loss)(params, x)
np.testing.assert_allclose(first[1]["in"][0][0], again[1]["in"][0][0])
f(params, x)
f(dict(reversed(params.items())), x)
assert f.cache_info().misses == seen.misses == 1, f.cache_info()
"""


def test_a_program_of_nests_does_not_load_optree_and_is_traced_once():
    subprocess.run([sys.executable, "-P", "-c", PROGRAM], check=True)


def test_a_nest_is_its_own_kind_of_form():
    assert type(nest_of([1.0], [])) is Nest
