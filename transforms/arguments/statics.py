"""Static arguments, by position or by name, passed through untraced."""

import inspect

import numpy as np

from ...core.checks import sequence
from ...core.errors import at_user_line


def positions(numbers, what):
    """Positions given as an int or several, as a tuple."""
    found = (numbers,) if isinstance(numbers, (int, np.integer)) else sequence(numbers, what)
    for k in found:
        if isinstance(k, bool) or not isinstance(k, (int, np.integer)):
            raise TypeError(f"{what} needs positions, but got {k!r}; write {what.split()[0]}=(0,) for the first "
                            f"argument{at_user_line()}")
    return tuple(map(int, found))


def _by_position(parameters):
    """The names of those that may be given by position."""
    return [p.name for p in parameters if p.kind is p.POSITIONAL_OR_KEYWORD or p.kind is p.POSITIONAL_ONLY]


def check_positions(fun, places, what):
    """Raise for a position that a function has no argument at, where its parameters are known."""
    try:
        known = list(inspect.signature(fun).parameters.values())
    except (TypeError, ValueError):
        return
    count = len(_by_position(known))
    for k in places:
        if not any(p.kind is p.VAR_POSITIONAL for p in known) and not -count <= k < count:
            raise ValueError(f"{what} names argument {k}, but the function takes {count}; name one that it has"
                             f"{at_user_line()}")


def statics(fun, numbers, names, who):
    """Positions and names of static arguments, each completed by the other where the parameters of `fun` are known."""
    places = list(positions(numbers, f"static_argnums of {who}"))
    check_positions(fun, places, f"static_argnums of {who}")
    names = [names] if isinstance(names, str) else list(sequence(names, f"static_argnames of {who}"))
    try:
        known = list(inspect.signature(fun).parameters.values())
    except (TypeError, ValueError):
        return tuple(places), tuple(names)
    ordered = _by_position(known)
    open_ended = any(p.kind is p.VAR_KEYWORD for p in known)
    for name in names:
        if not open_ended and name not in [p.name for p in known]:
            raise ValueError(f"static_argnames of {who} names {name!r}, but the function takes "
                             f"{', '.join(p.name for p in known)}; name one that it has{at_user_line()}")
    names += [ordered[k] for k in places if -len(ordered) <= k < len(ordered) and ordered[k] not in names]
    places += [ordered.index(n) for n in names if n in ordered and ordered.index(n) not in places]
    return tuple(places), tuple(names)


def without_static(args, kwargs, places, names):
    """`({position or name: value}, ([others], {others}))` of the arguments of a call."""
    static = {}
    for k in places:
        place = k if k >= 0 else len(args) + k
        if 0 <= place < len(args):
            static[place] = args[place]
    for name in names:
        if name in kwargs:
            static[name] = kwargs[name]
    return static, ([a for k, a in enumerate(args) if k not in static],
                    {name: v for name, v in kwargs.items() if name not in static})


def with_static(args, kwargs, static):
    """All arguments of a call."""
    args = list(args)
    for k in sorted([k for k in static if type(k) is int]):
        args.insert(k, static[k])
    return args, kwargs | {k: v for k, v in static.items() if type(k) is str}
