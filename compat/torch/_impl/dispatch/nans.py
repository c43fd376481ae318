"""`covector.debug_nans` for tensors: operations and nodes are looked at while it holds."""

import inspect
import os

from ..... import _engine, _interpreters
from ..graph.node_data import picks
from ..graph.node_errors import UNDEFINED
from ..modes.modes import set_modes
from ..types.tensor_type import TensorBase
from ..values.core_values import lower


class NanChecks:
    """Checks under debug_nans, held by the modes: one for each operation, and one for each node of a backward pass."""

    def operation(self, body, name, given, named, out):
        """Raise if an operation, a function of core values, made a NaN of its arguments."""
        try:
            words = list(inspect.signature(body).parameters)
        except ValueError:
            words = []
        words += [f"argument {i}" for i in range(len(words), len(given))]
        pairs = [pair for word, x in (*zip(words, given), *named.items()) for pair in flat(word, x)]
        _interpreters.check_made(name, pairs, tuple(out) if isinstance(out, list) else out)

    def turn(self, node, drive, ct):
        """A node's turn in a sweep, both sides looked at."""
        if ct is UNDEFINED or picks(node):
            return node.run_between_hooks(ct, drive)
        what, known = described(node), saved_by(node)
        _interpreters.check_pulled(what, ct, (), None)
        out = node.run_between_hooks(ct, drive)
        _interpreters.check_pulled(what, ct, known, out)
        return out


CHECKS = NanChecks()


def flat(word, x):
    """Pairs of a name and a core value of an argument, which may be a list of them."""
    if isinstance(x, list | tuple):
        return [pair for i, v in enumerate(x) for pair in flat(f"{word}[{i}]", v)]
    return [(word, lower(x) if isinstance(x, TensorBase) else x)]


def described(node):
    """A node's name, and the user's line that made it."""
    lines = None if node.extra is None else node.extra.traceback
    line = None if lines is None else lines.innermost()
    if line is None:
        return node.name()
    return f"{node.name()} (at {os.path.basename(line.filename)}:{line.lineno} in {line.name})"


def saved_by(node):
    """Pairs of a name and a value: what a node saved for its rule, as far as it is known here."""
    rule, saved = node.rule, node.saved
    packed = node.extra is not None and node.extra.packing is not None
    if rule is None or saved is None or saved is _engine.FREED or packed:
        return ()
    kept = (saved,) if len(rule.names) == 1 else saved
    if not isinstance(kept, tuple) or len(kept) != len(rule.names):
        return ()
    return [(name, v) for name, v in zip(rule.names, kept) if not name.endswith("_aval")]


@_interpreters.on_debug
def follow(modes):
    """Let the modes of the layer know."""
    set_modes(nans=CHECKS if modes.nans else None)
