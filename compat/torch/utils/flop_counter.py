"""torch.utils.flop_counter: what a program costs, by module and operation."""

import sys as _sys
import warnings as _warnings
from collections import defaultdict as _defaultdict

from .._impl.ops.overloads import OpOverloadPacket as _OpOverloadPacket, packet as _packet
from .._impl.profiler.flops import Counter as _Counter, of_shapes as _of_shapes
from .._impl.types.pytree import tree_leaves as _tree_leaves
from .module_tracker import ModuleTracker as _ModuleTracker

__all__ = ["FlopCounterMode", "register_flop_formula"]
_FORMULAS: dict = {}
_SUFFIXES = ("", "K", "M", "B", "T")


class FlopCounterMode:
    """Count the floating-point operations of products and convolutions, and of their gradients, in a `with`.

    Args:
        mods: not needed.
        depth: how deep the printed table goes into modules.
        display: print a table at the end.
        custom_mapping: `{packet: formula}` in place of the usual formulas.

    >>> import covector.compat.torch as torch
    >>> from covector.compat.torch.utils.flop_counter import FlopCounterMode
    >>> with FlopCounterMode(display=False) as counter:
    ...     _ = torch.ones(2, 3) @ torch.ones(3, 4)
    >>> counter.get_total_flops(), counter.get_flop_counts()
    (48, {'Global': {<OpOverloadPacket(op='aten.mm')>: 48}})
    """

    def __init__(self, mods=None, depth=2, display=True, custom_mapping=None):
        if mods is not None:
            _warnings.warn("mods argument is not needed anymore, you can stop passing it", stacklevel=2)
        self.flop_counts = _defaultdict(lambda: _defaultdict(int))
        self.depth = depth
        self.display = display
        self.flop_registry = _FORMULAS | {
            packet: f if getattr(f, "_get_raw", False) else _of_shapes(f)
            for packet, f in (custom_mapping or {}).items()}
        self.mod_tracker = _ModuleTracker()
        self._counter = None

    def __enter__(self):
        self.flop_counts.clear()
        self.mod_tracker.__enter__()
        self._counter = _Counter(self.flop_registry, self._add, _packet)
        self._counter.enter()
        return self

    def __exit__(self, *exc):
        self._counter.leave()
        self._counter = None
        self.mod_tracker.__exit__(*exc)
        if self.display:
            _sys.stdout.write(self.get_table(self.depth) + "\n")

    def _add(self, packet, count):
        for name in self.mod_tracker.parents:
            self.flop_counts[name][packet] += count

    def get_total_flops(self):
        """All that was counted."""
        return sum(self.flop_counts["Global"].values())

    def get_flop_counts(self):
        """`{module: {operation: count}}`; `Global` has all."""
        return {name: dict(counts) for name, counts in self.flop_counts.items()}

    def get_table(self, depth=None):
        """The counts as text, modules down to a depth."""
        depth = depth or self.depth or 999999
        total = self.get_total_flops()
        names = [name for name in sorted(self.flop_counts) if name != "Global" and name.count(".") < depth]
        whole = any(sum(self.flop_counts[name].values()) >= total for name in names)
        rows = [row for name in names for row in self._rows(name, name.count("."), total)]
        if "Global" in self.flop_counts and not whole:
            rows = self._rows("Global", 0, total) + [(" " + name, *rest) for name, *rest in rows]
        return _table(rows or [("Global", "0", "0%")])

    def _rows(self, name, depth, total):
        counts = self.flop_counts[name]
        step = max(0, min(len(_SUFFIXES) - 1, (len(str(total)) - 2) // 3))

        def row(text, count):
            return (" " * depth + text, f"{count / 1000 ** step:.3f}{_SUFFIXES[step]}",
                    f"{count / total:.2%}" if total else "0%")

        return [row(name, sum(counts.values())), *[row(f" - {packet}", n) for packet, n in counts.items()]]


def _table(rows):
    """Columns under their titles, the first one to the left."""
    titles = "Module", "FLOP", "% Total"
    widths = [max(len(title) + 2, *[len(row[k]) for row in rows]) for k, title in enumerate(titles)]
    rows = [titles, *rows]
    lines = ["  ".join((row[0].ljust(widths[0]), row[1].rjust(widths[1]), row[2].rjust(widths[2]))) for row in rows]
    return "\n".join([lines[0], "  ".join("-" * w for w in widths), *lines[1:]])


def register_flop_formula(targets, get_raw=False):
    """Decorate the formula of operations: a function of the shapes of their arguments and of `out_shape`, or of the
    arguments themselves and `out_val`."""
    def register(formula):
        for target in _tree_leaves(targets):
            if not isinstance(target, _OpOverloadPacket):
                raise ValueError("register_flop_formula(targets): expected each target to be OpOverloadPacket (i.e. "
                                 "torch.ops.mylib.foo), JitFunction, or HigherOrderOperator, got "
                                 f"{target} which is of type {type(target)}")
            if target in _FORMULAS:
                raise RuntimeError(f"duplicate registrations for {target}")
            _FORMULAS[target] = formula if get_raw else _of_shapes(formula)
        return formula

    return register
