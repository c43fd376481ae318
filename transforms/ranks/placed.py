"""The group of ranks of an equation in a graph, which reports errors at the user's line."""

from ...core.errors import user_place
from ...core.trace.tracer import Tracer

_METHODS = ("sum", "extreme", "gather", "scatter", "exchange", "shift")


def at_line(group, x):
    """The group for an operation on `x`: where x is traced it runs later, called from another line, or from none."""
    if not isinstance(x, Tracer):
        return group
    place = user_place()
    key = place and (id(place[0]), place[1])
    found = group.placed.get(key)
    if found is None:
        found = group.placed[key] = Placed(group, place)
    return found


class Placed:
    """A group whose collectives are called from one place."""

    __slots__ = ("origin", "place")

    def __init__(self, group, place):
        self.origin, self.place = group, place

    def __repr__(self):
        return repr(self.origin)

    @property
    def size(self):
        """The number of ranks."""
        return self.origin.size

    @property
    def rank(self):
        """This one."""
        return self.origin.rank

    @property
    def axis(self):
        """The name of the axis."""
        return self.origin.axis


def _from_place(method):
    def run(self, *args):
        group = self.origin
        before, group.place = group.place, self.place
        try:
            return getattr(group, method)(*args)
        finally:
            group.place = before

    run.__doc__ = f"`{method}` of the group."
    return run


for _method in _METHODS:
    setattr(Placed, _method, _from_place(_method))
