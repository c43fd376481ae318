"""What views are made by where there is native code: functions that give None for what they do not take.

Ask for them here: names are replaced.
"""

import functools

from ..... import _engine
from ..graph import versions
from ..inplace.write import KEEPERS
from ..native import functions as native
from ..views.views import EXPAND, GETITEM, RESHAPE, TRANSPOSE
from .basic_index import BASE, BOTH, EXPANDED, NUMBER, SELECT, SHAPED, TURNED, VALUE, place, ready
from .map_views import EVERY

FORMS = _engine.FORMS


def _counted():
    if FORMS.waiting is not None:
        FORMS.count(1)


def quick_read(t, key):
    """The view by a basic key."""
    _counted()


def quick_index(t, index, title):
    """The view by an index that ends with an Ellipsis, and the name of its node."""
    _counted()


def quick_shape(t, sizes):
    """The view in another shape, given as the arguments of `view` are."""
    _counted()


def quick_turn(t, axes, rule):
    """The view with all axes in another order, none of them negative."""
    _counted()


def quick_swap(t, first, second):
    """The view with two axes exchanged."""
    _counted()


def quick_expand(t, sizes):
    """The view in a larger shape, given as the arguments of `expand` are."""
    _counted()


def quick_places(t, maker, step, rule, shared):
    """The view that `maker` makes of an array, `step` in its record; elements of it may be `shared`."""
    _counted()


def quick_parts(t, indices, rule):
    """The views by a tuple of indices, as outputs of a node with a rule, in a tuple."""
    _counted()


def quick_put(t, key, value):
    """`t[key] = value` for a basic key: whether it was written."""
    _counted()


def _picked(indices):
    """The rules of the outputs of a node, one for each index."""
    return _picks(len(indices))


@functools.lru_cache(256)
def _picks(count):
    return tuple([_engine.pick_rule(count, k) for k in range(count)])


_THINGS = {"GETITEM": GETITEM, "RESHAPE": RESHAPE, "TRANSPOSE": TRANSPOSE, "EXPAND": EXPAND,
           "SELECT": SELECT, "place": place, "ready": ready, "selected": SELECT["SelectBackward0"],
           "sliced": SELECT["SliceBackward0"], "aliased": SELECT["AliasBackward0"],
           "inserted": SELECT["UnsqueezeBackward0"], "expanded": EXPANDED["ExpandBackward0"],
           "viewed": SHAPED["ViewBackward0"], "swapped": TURNED["TransposeBackward0"],
           "picked": _picked, "every": EVERY}

for _name in ("quick_read", "quick_index", "quick_shape", "quick_turn", "quick_swap", "quick_expand", "quick_places",
              "quick_parts"):
    _engine.small_item(globals(), _name, functools.partial(native.view_function, symbol=_name, things=_THINGS))
_engine.small_item(globals(), "quick_put", functools.partial(native.put_function, things={
    "BASE": BASE, "VALUE": VALUE, "BOTH": BOTH, "NUMBER": NUMBER, "place": place, "every": EVERY,
    "KEEPERS": KEEPERS}))
for _name, _symbol in (("new_stamp", "quick_stamp"), ("note", "quick_note")):
    _engine.small_item(vars(versions), _name, functools.partial(native.function, symbol=_symbol))
