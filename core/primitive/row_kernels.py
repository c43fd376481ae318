"""Row kernels: operations over the last axes of plain arrays, written in operations for one row."""

import functools
import math

import numpy as np

from ..arrays.backend import ON_DEVICE
from ..arrays.sums import shaped
from ..types import Any
from .kernels import FEW, kernel_of
from .primitive import Formula, argument_names

ndarray = np.ndarray


class Rows:
    """The definition of a primitive for one row over its last axes (named by its `axis` or `axes`, if it has one).

    A definition asks by name for operands, parameters, `ans`, the length of a row (`count`), and for what a rule is
    given (`c`); its first name is a row, and so is any array that `kinds` does not name.

    Args:
        impl, vjp, jvp: the definitions; a rule has to ask for what its definition does. None leaves it to NumPy.
        after: `{"vjp": fn}`: what is done with the arrays that a kernel gives, which come first. By default they take
            the shape of the first operand.
        kinds: what an array is that is no row, `{"w": "vector"}`, as `kernel_of` has it.
        before: `{name: fn}`: what else definitions may ask for, which `fn` computes of what it asks for.
        here: `{"vjp": (definition, after)}`: what is defined in another way for arrays of NumPy, whose kernels give way
            where something is not finite.
    """

    __slots__ = ("after", "before", "here", "kinds", "rules")

    def __init__(self, impl=None, vjp=None, jvp=None, after=(), kinds=(), before=(), here=()):
        self.rules = {"impl": impl, "vjp": vjp, "jvp": jvp}
        self.after = dict(after)
        self.before = dict(before)
        self.here = dict(here)
        self.kinds = dict(kinds)

    def attach(self, prim):
        """Let the primitive run its kernels where arrays are large."""
        if self.rules["impl"] is not None:
            plain = prim.impl
            kernel = self.runner(prim, "impl", (*prim.operands, *prim.params))

            def impl(xp, x, *rest):
                if x.size >= FEW if type(x) is ndarray else type(x) in ON_DEVICE:
                    out = kernel(x, *rest)
                    if out is not None:
                        return out
                return plain(xp, x, *rest)

            prim.impl = functools.update_wrapper(impl, plain)
            # `update_wrapper` leaves defaults out, and `arrange` fills missing parameters from them.
            impl.__kwdefaults__ = plain.__kwdefaults__
        for kind, rules in (("vjp", prim.vjp), ("jvp", prim.jvp)):
            if self.rules[kind] is not None:
                old = rules[0]
                rule = self.rule(old.fn, self.runner(prim, kind, ("c", *old.names)), ("c", *old.names).index(
                    argument_names(self.rules[kind])[0]))
                rules.update(dict.fromkeys(rules, Formula(rule, old.names, old.operands)))

    def rule(self, plain, kernel, first):
        """Wrap a rule: run the kernel where its argument number `first` is a large array."""
        def rule(*args):
            x = args[first]
            if x.size >= FEW if type(x) is ndarray else type(x) in ON_DEVICE:
                out = kernel(*args)
                if out is not None:
                    return out
            return plain(*args)

        return rule

    def runner(self, prim, what, names):
        """A function of the values of `names`: the result, or None where no kernel fits them."""
        there = self.runner_of(prim, what, names, self.rules[what], self.after.get(what))
        if what not in self.here:
            return there
        here = self.runner_of(prim, what, names, *self.here[what])
        first = names.index(argument_names(self.here[what][0])[0])
        return lambda *args: (here if type(args[first]) is ndarray else there)(*args)

    def runner_of(self, prim, what, names, define, after):
        """Make the `runner` of one definition and its epilogue `after`."""
        asked = argument_names(define)
        kinds = tuple([self.kinds.get(n) or ("float" if n in prim.params or n == "count" else "row") for n in asked])
        kernel = kernel_of(prim.name, what, define, kinds, True)
        axes = next((names.index(n) for n in ("axis", "axes") if n in names), None)
        derived = {n: (fn, [names.index(m) for m in argument_names(fn)]) for n, fn in self.before.items() if n in asked}
        inspected = {k for _, places in derived.values() for k in places if not names[k].endswith("_aval")}
        known = (*names, *derived)
        plan: list[Any] = [(None if n == "count" else known.index(n), kind) for n, kind in zip(asked, kinds)]
        first = plan[0][0]
        later = [names.index(n) for n in argument_names(after)[1:]] if after is not None else []

        def run(*args):
            shape = args[first].shape
            length = _length(shape, -1 if axes is None else args[axes])
            if length is None:
                return None
            given, own = [], type(args[first])
            if derived:
                if any(type(args[k]) is not own for k in inspected):
                    return None
                args = (*args, *[fn(*[args[k] for k in places]) for fn, places in derived.values()])
            for place, kind in plan:
                value = length if place is None else args[place]
                if kind == "float":
                    value = float(value)
                elif type(value) is not own:
                    return None
                elif kind == "row":
                    value = value.reshape(-1, length)
                elif value.ndim != 1:
                    value = value.reshape(-1)
                elif not value.flags.c_contiguous:  # such as one cotangent of all rows
                    value = value.copy()
                given.append(value)
            out = kernel(*given)
            if out is None:
                return None
            if after is not None:
                return after(out, *[args[k] for k in later])
            return shaped(out, shape)

        return run


def _length(shape, axes):
    """Return the number of elements of a row over these axes; None if they are not the last ones."""
    # Only rows that lie in one piece can be reshaped to a matrix without a copy.
    if type(axes) is int:
        return shape[-1] if axes in (-1, len(shape) - 1) else None
    first = len(shape) - len(axes)
    return math.prod(shape[first:]) if axes == tuple(range(first, len(shape))) else None
