"""The rules of functions that derivatives were defined for."""

from collections.abc import MutableMapping
from weakref import WeakSet, ref


class RuleTable(MutableMapping):
    """`{function: rule}`; a rule is an attribute of its function, so that one whose closure holds it goes with it.

    Functions that take no attributes (those in C, bound methods) are kept, as in a dict.

    Args:
        name: of the attribute.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.functions: WeakSet = WeakSet()
        self.others: dict = {}

    def get(self, fun, default=None):
        """The rule of a function."""
        found = getattr(fun, self.name, None)
        if found is not None and found[0]() is fun:  # functools.wraps copies attributes to other functions
            return found[1]
        return self.others.get(fun, default) if self.others else default

    def __getitem__(self, fun):
        found = self.get(fun, self)
        if found is self:
            raise KeyError(fun)
        return found

    def __contains__(self, fun):
        return self.get(fun, self) is not self

    def __setitem__(self, fun, rule):
        try:
            setattr(fun, self.name, (ref(fun), rule))
            self.functions.add(fun)
        except (AttributeError, TypeError):
            self.others[fun] = rule

    def __delitem__(self, fun):
        if fun in self.others:
            del self.others[fun]
        else:
            self[fun]
            delattr(fun, self.name)
            self.functions.discard(fun)

    def __iter__(self):
        yield from list(self.functions)
        yield from list(self.others)

    def __len__(self):
        return len(self.functions) + len(self.others)


VJPS = RuleTable("_covector_vjp")  # function -> maker(argnums, ans, args, kwargs) of what takes a cotangent
JVPS = RuleTable("_covector_jvp")  # function -> maker(argnums, tangents, ans, args, kwargs) of a tangent
