"""Containers: leaves of one's own choice, paths, and containers turned inside out."""

import pytest

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


def test_containers_inside_out():
    outer, inner = tree.structure((0, 0)), tree.structure({"a": 0, "b": [0]})
    turned = tree.transpose(outer, inner, ({"a": 1, "b": [2]}, {"a": 3, "b": [4]}))
    assert turned == {"a": (1, 3), "b": [(2, 4)]}
    for wrong in ((inner, outer), (outer, outer)):
        with pytest.raises(ValueError, match=r"tree.transpose was told of.*but got.*outside first"):
            tree.transpose(*wrong, ({"a": 1, "b": [2]}, {"a": 3, "b": [4]}))
