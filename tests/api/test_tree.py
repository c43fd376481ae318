"""Containers: leaves of one's own choice, paths, and containers turned inside out."""

import dataclasses
from typing import NamedTuple

import numpy as np
import pytest

import covector as cv
from covector import tree

NEST = {"b": 1.0, "a": (2.0, [3.0, None]), "c": {}}


def is_pair(x):
    return isinstance(x, tuple)


def test_leaves_of_one_s_own_choice():
    assert tree.leaves(NEST, is_leaf=is_pair) == [(2.0, [3.0, None]), 1.0]
    assert tree.leaves(NEST, is_leaf=lambda x: x is None) == [2.0, 3.0, None, 1.0]
    leaves, form = tree.flatten(NEST, is_leaf=is_pair)
    assert tree.unflatten(form, leaves) == NEST and form == tree.structure(NEST, is_leaf=is_pair)
    assert tree.map(len, [(1, 2), (3,)], is_leaf=is_pair) == [2, 1]
    assert tree.map(lambda x, y: len(x) + y, [(1, 2), (3,)], [10, 20], is_leaf=is_pair) == [12, 21]
    assert tree.reduce(lambda total, pair: total + len(pair), [(1, 2), (3,)], 0, is_leaf=is_pair) == 3
    assert tree.reduce(lambda a, b: a + b, NEST, initializer=10.0) == 16.0
    with pytest.raises(TypeError, match="empty"):
        tree.reduce(lambda a, b: a + b, {})


def test_paths():
    assert tree.leaves_with_path(NEST) == [(("a", 0), 2.0), (("a", 1, 0), 3.0), (("b",), 1.0)]
    assert tree.leaves_with_path(3.0) == [((), 3.0)]
    assert tree.leaves_with_path(NEST, is_leaf=is_pair)[0] == (("a",), NEST["a"])
    named = tree.map_with_path(lambda path, x, y: ("/".join(map(str, path)), x + y), NEST, NEST)
    assert named == {"b": ("b", 2.0), "a": (("a/0", 4.0), [("a/1/0", 6.0), None]), "c": {}}
    with pytest.raises(ValueError):
        tree.map_with_path(lambda path, x, y: x, {"a": 1.0}, {"b": 1.0})


class Pair(NamedTuple):
    left: object
    right: object


class Box:
    def __init__(self, *inside):
        self.inside = inside


tree.register(Box, lambda box: (box.inside, None), lambda _, inside: Box(*inside))


def test_paths_as_text():
    nest = {"w": [Pair(1.0, {2: 2.0}), (3.0,)], "layer": Layer(Box(4.0, 5.0), 6.0)}
    paths = [path for path, _ in tree.flatten_with_path(nest)[0]]
    assert paths == [("layer", "w", 0), ("layer", "w", 1), ("layer", "b"), ("w", 0, "left"), ("w", 0, "right", 2),
                     ("w", 1, 0)]
    assert [tree.keystr(path) for path in paths] == [
        "['layer'].w[<flat index 0>]", "['layer'].w[<flat index 1>]", "['layer'].b", "['w'][0].left",
        "['w'][0].right[2]", "['w'][1][0]"]
    assert [tree.keystr(path, simple=True, separator="/") for path in paths][:4] == [
        "layer/w/0", "layer/w/1", "layer/b", "w/0/left"]
    assert tree.keystr(()) == ""
    assert tree.map_with_path(lambda path, x: tree.keystr(path), Pair(1.0, (2.0,))) == Pair(".left", (".right[0]",))
    with pytest.raises(TypeError, match=r"keys of tree.keystr is a tuple or a list, but got 'w' of type str; put"):
        tree.keystr("w")


@pytest.mark.reference
def test_paths_as_text_are_those_of_jax():
    jax = pytest.importorskip("jax", reason="needs the `reference` extra: pip install -e '.[reference]'")
    nest = {"w": [Pair(1.0, {2: 2.0}), (3.0,)], "b c": (4.0, None)}
    mine, theirs = tree.leaves_with_path(nest), jax.tree.leaves_with_path(nest)
    for (path, x), (other, y) in zip(mine, theirs, strict=True):
        assert x == y
        for facts in ({}, {"simple": True}, {"separator": "|"}, {"simple": True, "separator": "/"}):
            assert tree.keystr(path, **facts) == jax.tree_util.keystr(other, **facts)


def test_containers_inside_out():
    outer, inner = tree.structure((0, 0)), tree.structure({"a": 0, "b": [0]})
    turned = tree.transpose(outer, inner, ({"a": 1, "b": [2]}, {"a": 3, "b": [4]}))
    assert turned == {"a": (1, 3), "b": [(2, 4)]}
    for wrong in ((inner, outer), (outer, outer)):
        with pytest.raises(ValueError, match=r"tree.transpose was given the structure.*but got.*outer structure first"):
            tree.transpose(*wrong, ({"a": 1, "b": [2]}, {"a": 3, "b": [4]}))
    named = {"outer_treedef": outer, "pytree_to_transpose": ({"a": 1, "b": [2]}, {"a": 3, "b": [4]})}
    assert tree.transpose(inner_treedef=None, **named) == tree.transpose(inner_treedef=inner, **named) == turned
    for shape, given in (([], []), ([0, 0], {"a": 1})):
        with pytest.raises(ValueError, match=r"tree.transpose was given the outer structure.*but got.*inner structure"):
            tree.transpose(tree.structure(shape), None, given)


def test_all_leaves_and_repeated_ones():
    assert tree.all({"a": True, "b": [1, None]}) and tree.all([]) and not tree.all([1, {"a": 0}])
    assert tree.all([(0, 1)], is_leaf=is_pair)
    assert tree.broadcast(1, {"a": 2, "b": [3, 4]}) == {"a": 1, "b": [1, 1]}
    assert tree.broadcast({"a": 1, "b": 2}, {"a": 0, "b": (0, [0])}) == {"a": 1, "b": (2, [2])}
    assert tree.broadcast([(1, 2), 3], [{"a": 0}, 0], is_leaf=is_pair) == [{"a": (1, 2)}, 3]
    with pytest.raises(ValueError):
        tree.broadcast({"a": 1}, {"b": 1})
    pairs, form = tree.flatten_with_path(NEST)
    assert pairs == tree.leaves_with_path(NEST) and form == tree.structure(NEST)


@tree.register_dataclass
@dataclasses.dataclass(frozen=True)
class Layer:
    w: object
    b: object
    activation: str = tree.static(default="tanh")
    count: int = dataclasses.field(default=0, init=False)


def test_dataclasses_are_containers():
    layer = Layer(np.ones(2), 3.0)
    assert [path for path, _ in tree.leaves_with_path(layer)] == [("w",), ("b",)]
    assert tree.structure(layer) != tree.structure(Layer(np.ones(2), 3.0, "relu"))
    gradient = cv.grad(lambda p: (p.w**2).sum() * p.b if p.activation == "tanh" else p.b)(layer)
    np.testing.assert_array_equal(gradient.w, [6.0, 6.0])
    assert gradient.b == 2.0 and gradient.activation == "tanh"
    mapped = cv.vmap(lambda p: Layer(p.w + p.b, p.b), (Layer(0, None),))(layer)
    np.testing.assert_array_equal(mapped.w, [4.0, 4.0])


def test_fields_are_told_of_once():
    @dataclasses.dataclass
    class Named:
        x: object
        y: object

    with pytest.raises(TypeError, match=r"needs each field of Named once, x, y, but got data_fields=\['x'\].*name the"):
        tree.register_dataclass(Named, data_fields=["x"], meta_fields=[])
    tree.register_dataclass(Named, meta_fields=["y"])
    assert tree.leaves(Named(1.0, "y")) == [1.0]
    with pytest.raises(TypeError, match=r"tree.register_dataclass needs a dataclass, but got.*above @dataclass"):
        tree.register_dataclass(int)
    with pytest.raises(ValueError):
        tree.register_dataclass(Named)
