"""Signatures: the cache key of compiled programs, and a fast guard for the common ones."""

import weakref
from functools import partial

import numpy as np

from ....core.arrays.avals import WEAK, aval_of, promoting_aval
from ....core.arrays.backend import find_backend
from ....core.errors import DtypeError, MutationError, at_user_line
from ....core.primitive.primitive import RAW
from ....core.trace.device import library_of
from ....core.trace.tracer import Tracer
from ...arguments.arguments import computable, conversion, registration, shown
from ...scope.debug_modes import MODES, modes
from ..render.functions import MISS, note_line

ndarray = np.ndarray


def static_key(value, name):
    """The key of a static value: its type and itself; 0.0 and -0.0 differ, NaN is itself."""
    kind = type(value)
    if isinstance(value, Tracer):
        raise TypeError(f"jit looks static arguments up by their value, but {name} is a traced value "
                        f"({aval_of(value)!r}); leave it out of the static arguments, or call the function outside of "
                        f"the transform{at_user_line()}")
    if isinstance(value, float | complex | np.inexact):  # 0.0 == -0.0, and NaN is not itself
        return kind, repr(value)
    if isinstance(value, tuple):
        return kind, tuple([static_key(v, name) for v in value])
    try:
        hash(value)
    except TypeError:
        raise TypeError(f"jit looks static arguments up, but {name} is {shown(value)} of type {kind.__name__}, which "
                        f"has no hash; pass a tuple for a list, or leave it out of the static arguments"
                        f"{at_user_line()}") from None
    return kind, value


NUMBER = "number"


def leaf_key(leaf):
    """The part of a leaf that staging looks at: its aval; of arrays of libraries other than NumPy also which one it is.

    Of a traced Python number that it is one: the graph takes any scalar there, and promotes it as a number. Of an array
    without axes that it is one: the function may ask whether it was given a number.
    """
    kind = type(leaf)
    try:
        if kind in RAW:
            return (ndarray, aval_of(leaf)) if kind is ndarray and not leaf.ndim else aval_of(leaf)
        if isinstance(leaf, Tracer):
            library = NUMBER if promoting_aval(leaf).weak else library_of(leaf)
            if library is None and not leaf.shape and leaf.__class__ is kind:
                library = ndarray
            return aval_of(leaf) if library is None else (library, aval_of(leaf))
        if computable(leaf):
            return kind, aval_of(leaf)
    except DtypeError:
        raise DtypeError(f"jit takes arrays of numbers and booleans, but a leaf has dtype {leaf.dtype}; convert it "
                         f"with .astype(float), or keep it outside{at_user_line()}") from None
    raise DtypeError(f"jit takes pytrees of arrays and numbers, but a leaf is {shown(leaf)} of type {kind.__name__}; "
                     f"mark the argument static (static_argnums, static_argnames){registration(leaf)}, or convert it"
                     f"{conversion(leaf)}{at_user_line()}")


class Unwritten(Exception):  # noqa: N818 (no error: such calls are looked up by their key)
    """Raised for a signature without a generated guard."""


def quick_look(args, kwargs, static, call, rebuild):
    """`(look, front)` of calls like the given one.

    Args:
        static: `{position or name: value}` of the static arguments.
        call: the `Compiled`; rebuild: what makes the pytree of its outputs.
    Returns:
        look: a function `(args, kwargs)` that runs the compiled function if these have the signature of the given ones,
            and returns MISS else; None where there is none.
        front: makes of a function `again(args, kwargs)`, called for other signatures, one that is called as the user's
            own; None where arguments were given by name.
    """
    # Layouts are asked for where they matter alone.
    look = _Look(call.programs.depends(), "device" in call.options)
    try:
        names = look.arguments(args, kwargs, static)
    except Unwritten:
        return None, None
    program = call.programs.for_layout_of(look.leaves)
    lines = [line for line in look.lines if not program.checks or line not in look.tests]  # native code looks itself
    # Large constants are as they were, or the general way says which is not.
    watched = ["if guards.changed() is not None: return MISS"] if call.graph.guards is not None else []
    lines = ["if modes() is not OFF or DONATED: return MISS", *watched, *lines]
    ended = ["if out is MISS: return MISS"] if program.checks else []
    ended.append(f"return {_result(rebuild, len(call.graph.outputs))}")
    run = f"out = run({', '.join(look.names)})"
    text = ["def look(args, kwargs):", *_guarded([*look.head(names, kwargs), *lines]), f"    {run}",
            *["    " + line for line in ended]]
    if not kwargs:
        text += _front(names, lines, run, ended)
    scope = {"MISS": MISS, "ABSENT": _ABSENT, "run": program.run, "rebuild": rebuild, "modes": MODES.get,
             "guards": call.graph.guards, "OFF": modes(), "DONATED": DONATED, "note_line": note_line, **look.scope}
    exec(compile("\n".join(text), __file__.replace("signature.py", "<look>"), "exec"), scope)
    return scope["look"], scope.get("front")


_ABSENT = object()  # in place of an argument that was not given


def _guarded(lines):
    """The lines of a function that takes a key that is not there as another signature."""
    return ["    try:", *["        " + line for line in lines], "    except KeyError: return MISS"]


def _front(names, lines, run, ended):
    """The text that makes a function with places of its own for arguments: a tuple and a call less."""
    given = "".join(f"{name}, " for name in names)
    lines, ended = [[line.replace("return MISS", "break") for line in part] for part in (lines, ended)]
    return ["def given(named, rest): return *[x for x in named if x is not ABSENT], *rest",
            "def front(again):",
            f"    def compiled({''.join(f'{name}=ABSENT, ' for name in names)}{'/, ' * bool(names)}*args, **kwargs):",
            "        try:", "            while True:  # once", "                if args or kwargs: break",
            "                try:", *["                    " + line for line in lines],
            "                except KeyError: break", *["                " + line for line in [run, *ended]],
            "        except Exception as error:", "            note_line(error)", "            raise",
            f"        return again(given(({given}), args), kwargs)",
            "    return compiled"]


class _Look:
    """The generated guard: `if` statements that return MISS.

    `layouts`: how arrays lie in memory matters; `device`: arrays of other libraries are looked at, too.
    """

    def __init__(self, layouts, device):
        self.layouts = layouts
        self.device = device
        self.lines = []
        self.tests = set()  # those of them that look at leaves
        self.scope = {"ndarray": ndarray}
        self.names = []
        self.leaves = []
        self.count = 0

    def add(self, line):
        self.lines.append(line)

    def unless(self, test):
        self.add(f"if {test}: return MISS")

    def const(self, value):
        self.count += 1
        name = f"k{self.count}"
        self.scope[name] = value
        return name

    def new(self):
        self.count += 1
        return f"x{self.count}"

    def head(self, names, kwargs):
        """The lines that take positional arguments apart."""
        count = f"len(args) != {len(names)} or " + (f"len(kwargs) != {len(kwargs)}" if kwargs else "kwargs")
        return [f"if {count}: return MISS", *([f"{', '.join(names)}, = args"] if names else [])]

    def arguments(self, args, kwargs, static):
        """Write the tests of all arguments, and return the names of positional ones."""
        if any(type(key) is not str for key in kwargs):  # such a call raises, and says so itself
            raise Unwritten
        names = [self.new() for _ in args]
        for k, (name, value) in enumerate(zip(names, args)):
            self.same(name, value) if k in static else self.tree(name, value)
        for key in sorted(kwargs):  # any order of names is the same call
            name = self.item("kwargs", key)
            self.same(name, kwargs[key]) if key in static else self.tree(name, kwargs[key])
        return names

    def item(self, holder, key):
        name = self.new()
        self.add(f"{name} = {holder}[{key!r}]")
        return name

    def same(self, name, value):
        kind = type(value)
        if kind is float and value != value or kind not in (int, bool, str, float, type(None)):
            raise Unwritten
        self.unless(f"type({name}) is not {self.const(kind)} or {name} != {value!r}")
        # 0.0 == -0.0, and the generated test compares by `!=`: such a call is looked up by its key, which tells them
        # apart.
        if kind is float and not value:
            raise Unwritten

    def tree(self, name, value):
        kind = type(value)
        if kind is tuple or kind is list:
            self.unless(f"type({name}) is not {kind.__name__} or len({name}) != {len(value)}")
            names = [self.new() for _ in value]
            if names:
                self.add(f"{', '.join(names)}, = {name}")
            for part, inner in zip(names, value):
                self.tree(part, inner)
        elif kind is dict:
            if not all(type(key) is str for key in value):  # other keys may have an equality of their own
                raise Unwritten
            self.unless(f"type({name}) is not dict or len({name}) != {len(value)}")
            # In sorted order, as flattening has the leaves: the program takes them by position.
            for key in sorted(value):
                self.tree(self.item(name, key), value[key])
        elif value is None:
            self.unless(f"{name} is not None")
        else:
            self.leaf(name, value)

    def leaf(self, name, value):
        kind = type(value)
        if kind is ndarray:
            dtype = self.const(value.dtype)
            test = f"type({name}) is not ndarray or {name}.dtype is not {dtype} or {name}.shape != {value.shape!r}"
            if value.ndim and self.layouts:
                test += f" or {name}.flags.c_contiguous is not {value.flags.c_contiguous}"
            self.unless(test)
        elif kind in RAW:
            self.unless(f"type({name}) is not {self.const(kind)}")
        elif self.device and find_backend(kind) is not None:
            self.unless(f"type({name}) is not {self.const(kind)} or {name}.dtype != {self.const(value.dtype)} or "
                        f"{name}.shape != {value.shape!r}")
        else:
            raise Unwritten
        self.tests.add(self.lines[-1])
        self.names.append(name)
        self.leaves.append(value)


def _result(rebuild, count):
    """The text that makes the pytree of outputs."""
    return "out" if rebuild is list else _part(rebuild(list(range(count)))) or "rebuild(out)"


def _part(tree):
    """The text of a pytree of places; None for one with other nodes than tuples, lists and dicts of names."""
    kind = type(tree)
    if kind is int:
        return f"out[{tree}]"
    if tree is None:
        return "None"
    if kind is dict and all(type(key) is str for key in tree):
        parts = [_part(x) for x in tree.values()]
        return None if None in parts else "{" + ", ".join(f"{k!r}: {part}" for k, part in zip(tree, parts)) + "}"
    if kind is tuple or kind is list:
        parts = [_part(x) for x in tree]
        return None if None in parts else f"{kind.__name__}(({''.join(part + ', ' for part in parts)}))" if (
            kind is list) else f"({''.join(part + ', ' for part in parts)})"
    return None


def described_change(new, known):
    """The part of a signature that is new, in words: for the message about a function that is compiled often."""
    tree, leaves, static, axes = new
    # From the coarsest part to the finest: a new structure makes every leaf look new, too.
    if all(tree != other[0] for other in known):
        return "the structure of the arguments"
    if all(axes != other[3] for other in known):
        return "the mapped axes around it"
    same = [other for other in known if other[0] == tree]
    if all(static != other[2] for other in same):
        return "the value of a static argument"
    old = same[-1][1]
    for k, (a, b) in enumerate(zip(leaves, old)):
        if a != b:
            return f"leaf {k} of the arguments: {_aval_text(a)} where it was {_aval_text(b)}"
    return "a combination of shapes"


def _aval_text(key):
    aval = key[1] if type(key) is tuple else key
    weak = next((f"a Python {kind.__name__}" for kind, known in WEAK.items() if known is aval), None)
    return weak or (f"an array {aval!r}" if key is not aval and key[0] is ndarray else repr(aval))


# Donated arrays, whose memory a compiled function took over: reading them again raises.

DONATED = {}  # id of an array that was given away -> a weak reference to it


def check_donated(leaves, name):
    """Raise for an argument that was donated before."""
    for x in leaves:
        known = DONATED.get(id(x))
        if known is not None and known() is x:
            raise MutationError(f"an array of shape {x.shape} was passed to jit of {name}, but was donated to a "
                                f"compiled function before, which wrote to it; use what that function returned, or "
                                f"leave out donate_argnums{at_user_line()}")


def _forget(key, reference):
    DONATED.pop(key, None)


def give_away(leaves, places, name):
    """The leaves, those at `places` noted as donated; one that cannot be written to is copied instead."""
    leaves = list(leaves)
    for k in places:
        x = leaves[k]
        if type(x) is not ndarray:
            continue
        if not x.flags.writeable:
            leaves[k] = x.copy()
            continue
        for other, y in enumerate(leaves):
            if other != k and type(y) is ndarray and np.may_share_memory(x, y):
                raise ValueError(f"argument leaf {k} of jit of {name} was donated, but leaf {other} shares its memory; "
                                 f"copy one of them, or leave out donate_argnums{at_user_line()}")
        # An address may be used again: the entry goes with the array.
        DONATED[id(x)] = weakref.ref(x, partial(_forget, id(x)))
    return leaves
