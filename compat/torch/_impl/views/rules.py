"""The rules of the nodes of views, and of writes by basic indices, under torch's names."""

import numpy as np

from ..... import extend
from ..graph.node_names import NamedRule
from .views import EXPAND, GETITEM, RESHAPE, TRANSPOSE, UPDATE


def rules_of(prim, titles):
    """The rules of a view primitive under torch's names."""
    rule = prim.rule((0,), True)  # shapes and dtypes fit: nothing to cast or to sum
    return {title: NamedRule(rule, title) for title in titles}


SELECT = rules_of(GETITEM, ("SelectBackward0", "SliceBackward0", "UnsqueezeBackward0", "SqueezeBackward0",
                            "SqueezeBackward1", "SqueezeBackward2", "AliasBackward0"))
SHAPED = rules_of(RESHAPE, ("ViewBackward0", "ReshapeAliasBackward0"))
TURNED = rules_of(TRANSPOSE, ("TransposeBackward0", "PermuteBackward0", "TBackward0"))
EXPANDED = rules_of(EXPAND, ("ExpandBackward0",))
_LAYOUT = {prim: prim.rule((0,), True).names for prim in (GETITEM, RESHAPE, TRANSPOSE, EXPAND)}


if _LAYOUT != {GETITEM: ("x_aval", "index"), RESHAPE: ("x_aval",), TRANSPOSE: ("axes",), EXPAND: ("x_aval",)}:
    raise AssertionError(f"the rules of the view primitives save other things than these lanes write: {_LAYOUT}")


def _rule(active, title="torch::autograd::CopySlices", shows=None, call=None):
    """The rule of a write under torch's name; it shows the base and the value, None for one without gradient."""
    shows = shows or {(0,): lambda node: (node.parents, None), (1,): lambda node: (None, node.parents),
                      (0, 1): lambda node: node.parents}[active]
    rule = NamedRule(UPDATE.rule(active, True), title, shows, call)
    if rule.names != ("x_aval", "v_aval", "index", "add"):
        raise AssertionError(f"the rule of index_update saves other things than this lane writes: {rule.names}")
    return rule


BASE, VALUE, BOTH = _rule((0,)), _rule((1,)), _rule((0, 1))
FILLED, ZEROED = (_rule((0,), f"{name}Backward{k}", lambda node: (node.parents,), ()) for name, k in (
    ("Fill", 2), ("Zero", 0)))
COPIED = tuple([_rule(active, "torch::autograd::CopyBackwards", None, ()) for active in ((0,), (1,), (0, 1))])
NUMBER = extend.make_aval((), np.dtype(np.float64))
