"""Pytrees of torch.utils._pytree: keys, registered classes, dataclasses."""

import dataclasses
import importlib
from collections import OrderedDict, defaultdict, deque, namedtuple

from harness import attempt

Pair = namedtuple("Pair", "a b")


def trees(torch):
    return importlib.import_module("covector.compat.torch.utils._pytree" if "covector" in torch.__spec__.name else
                                   "torch.utils._pytree")


def script_keys_of_leaves(torch):
    tree = trees(torch)
    nest = {"x": [1, (2, None)], "y": Pair(3, OrderedDict(z=4)), "d": deque([5]), "e": defaultdict(int, f=6)}
    pairs = tree.tree_leaves_with_path(nest)
    flat, spec = tree.tree_flatten_with_path(nest)
    return [[(tree.keystr(path), leaf, tree.key_get(nest, path) is leaf) for path, leaf in pairs], flat == pairs,
            spec.num_leaves, tree.tree_map_with_path(lambda path, x, y: (tree.keystr(path), x, y), [1, 2], [3, 4]),
            [tree.keystr(path) for path, _ in tree.tree_leaves_with_path(nest, is_leaf=lambda x: type(x) is Pair)]]


def script_registered_classes_with_keys(torch):
    tree = trees(torch)

    class Output(OrderedDict):
        pass

    class Plain:
        pass

    @dataclasses.dataclass
    class Point:
        x: object
        y: object = None

    tree.register_pytree_node(Output, lambda o: (list(o.values()), list(o)),
                              lambda leaves, keys: Output(zip(keys, leaves)), serialized_type_name="tests.Output",
                              flatten_with_keys_fn=tree._dict_flatten_with_keys)
    tree.register_pytree_node(Plain, lambda o: ([], None), lambda leaves, context: Plain())
    tree.register_dataclass(Point)
    point = tree.tree_map(lambda x: 2 * x, Point(3))
    found = tree.tree_leaves_with_path((Output(loss=1), Point(2, 3)))
    return [[(tree.keystr(path), leaf) for path, leaf in found], (point.x, point.y), type(point) is Point,
            attempt(lambda: tree.tree_leaves_with_path([Plain()]))[0],
            attempt(lambda: tree.register_dataclass(Plain))[0],
            attempt(lambda: tree.register_dataclass(Point, field_names=["x"]))[0]]


def script_structures_are_made_of_their_parts(torch):
    tree = trees(torch)
    leaf = tree.LeafSpec()
    spec = tree.TreeSpec(dict, ["a", "b"], [tree.TreeSpec(list, None, [leaf, leaf]), leaf])
    found = tree.tree_structure({"a": [1, 2], "b": 3})
    node = tree.SUPPORTED_NODES[tree._get_node_type({"a": 1})]
    return [spec == found, tree.tree_unflatten([1, 2, 3], spec), isinstance(leaf, tree.LeafSpec),
            isinstance(found, tree.LeafSpec), isinstance(found.child(1), tree.LeafSpec), str(found.child(0)),
            node.flatten_fn({"a": 1})[0], node.unflatten_fn([2], ["b"]), list(tree.tree_iter([1, (2, None)]))]
