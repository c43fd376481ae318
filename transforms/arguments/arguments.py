"""Pytrees, argnums and aux: flatten arguments before a trace starts, rebuild results after it."""

from dataclasses import is_dataclass
from itertools import count
from types import FunctionType

import numpy as np

from ...core.arrays.avals import WEAK, aval_of, promoting_aval
from ...core.arrays.backend import find_backend
from ...core.arrays.dtypes import FLOAT0, is_inexact
from ...core.errors import DtypeError, TreeError, at_user_line
from ...core.lazy import LazyModule, is_loaded
from ...core.tape.unbroadcast import recast
from ...core.trace.buffers import Buffer
from ...core.trace.foreign_containers import traced_in
from ...core.trace.tracer import Tracer
from ...core.types import Any

ndarray = np.ndarray
_LEAF_LIMIT = 1 << 15  # bytes: an input is copied once a call, which up to here costs less than two fingerprints


def flatten(tree):
    """Return `(leaves, rebuild)` of any pytree; None is a node without children."""
    kind = type(tree)
    # The common cases in Python: the general way through optree takes 4 us.
    if kind in BARE or isinstance(tree, Tracer):
        return [tree], first
    if kind is tuple or kind is list:
        for leaf in tree:
            if type(leaf) not in BARE and not isinstance(leaf, Tracer):
                break
        else:
            return list(tree), kind if kind is tuple else list
    elif kind is dict and _PLAIN.issuperset(map(type, tree.values())):
        order = tuple(tree)
        rebuild = _DICTS.get(order)
        if rebuild is None and _NAMES.issuperset(map(type, order)):
            rebuild = _remembered(order)
        if rebuild is not None:
            return [tree[key] for key in rebuild.keys], rebuild
    if is_early():
        leaves = []
        nest = nest_of(tree, leaves)
        if nest is not None:
            return leaves, nest
    leaves, spec = optree.tree_flatten(tree, namespace=NAMESPACE)
    return leaves, Rebuild(spec)


_PLAIN, _NAMES = frozenset({ndarray}), frozenset({str})


def first(leaves):
    """The pytree that is a bare leaf."""
    return leaves[0]


class RebuildDict:
    """Puts leaves, in the order of sorted keys, back into a flat dict; the fast path of `Rebuild`."""

    __slots__ = ("keys", "places")

    def __init__(self, order):
        self.keys = sorted(order)
        self.places = [(key, self.keys.index(key)) for key in order]

    def __call__(self, leaves):
        return {key: leaves[place] for key, place in self.places}

    def __eq__(self, other):
        return type(other) is RebuildDict and self.keys == other.keys

    def __hash__(self):
        return hash(tuple(self.keys))


_DICTS = {}  # the names of flat dicts in their order -> RebuildDict


def _remembered(order):
    # Names may come from data, so the table is bounded.
    if len(_DICTS) > 256:
        _DICTS.clear()
    rebuild = _DICTS[order] = RebuildDict(order)
    return rebuild


def flatten_call(args, kwargs):
    """`(leaves, rebuild, structure)` of the arguments of a call; `rebuild` gives the pair of them."""
    if not kwargs:
        leaves, rebuild = flatten(args)
        if rebuild is list:
            return leaves, _positional, len(leaves)
    tree = args, kwargs
    leaves, rebuild = flatten(tree)
    return leaves, rebuild, structure(tree)


def _positional(leaves):
    """Arguments that are given by position, none of them a container."""
    return list(leaves), {}


def structure(tree):
    """The tree's structure, for comparison and messages."""
    found = nest_of(tree, []) if is_early() else None
    return found or Rebuild(optree.tree_structure(tree, namespace=NAMESPACE))


def described(tree):
    """The structure of a tree, with * for each leaf; for messages."""
    form = tree if isinstance(tree, Form | optree.PyTreeSpec) else structure(tree)
    spec = form.spec if isinstance(form, Form) else form
    return str(spec).removeprefix("PyTreeSpec(").removesuffix(")").removesuffix(f", namespace={NAMESPACE!r}")


def normal_argnums(argnums, count, name):
    """`argnums` as a tuple of positions."""
    if type(argnums) is int and 0 <= argnums < count:
        return (argnums,)
    out = []
    for k in checked_argnums(argnums, name):
        if not -count <= k < count:
            raise TypeError(f"{name} was asked for argument {k}, but the function was called with {count} positional "
                            f"argument{'s' if count != 1 else ''}; pass it by position, or change argnums"
                            f"{at_user_line()}")
        out.append(int(k) % count)
    if len(set(out)) != len(out):
        raise ValueError(f"{name} was given one argument twice: argnums={argnums!r}; name each once{at_user_line()}")
    return tuple(out)


def checked_argnums(argnums, name):
    """The positions that `argnums` gives, of ints."""
    positions = argnums if isinstance(argnums, (tuple, list)) else (argnums,)
    if any(isinstance(k, bool) or not isinstance(k, (int, np.integer)) for k in positions):
        raise TypeError(f"{name} needs argnums to be an int or a tuple of ints, but got {argnums!r}; write "
                        f"{name}(f)(x) to call the function{at_user_line()}")
    return positions


def differentiable(leaf, name, where="argument"):
    """The aval of an input leaf, or an error that suggests a fix."""
    try:
        aval = promoting_aval(leaf)
    except DtypeError:
        aval = None
    out = "exclude it with argnums" if name not in ("vjp", "jvp", "linearize") else "close over it"
    if aval is None or not computable(leaf):
        raise DtypeError(f"{name} differentiates arrays and numbers, but {where} is {shown(leaf)} of type "
                         f"{type(leaf).__name__}; {out}{registration(leaf)}, or convert it{conversion(leaf)}"
                         f"{at_user_line()}")
    if not is_inexact(aval.dtype):
        raise DtypeError(f"{name} needs floating or complex inputs, but {where} is {leaf!r} with dtype {aval.dtype}; "
                         f"pass float({leaf!r}) or x.astype(float), or {out}{at_user_line()}"
                         if not aval.ndim else
                         f"{name} needs floating or complex inputs, but {where} has shape {aval.shape} and dtype "
                         f"{aval.dtype}; use x.astype(float), or {out}{at_user_line()}")
    return aval


def shown(value):
    """A value in a message: one line of at most 60 characters."""
    text = " ".join(repr(value).split())
    return text if len(text) < 60 else text[:57] + "..."


def conversion(leaf):
    """Advice in messages on converting an array of another library to NumPy."""
    call = _CONVERSIONS.get(type(leaf).__module__.partition(".")[0])
    return f" with {call}" if call else ""


def registration(leaf):
    """Advice in messages on registering the class of an object as a pytree."""
    kind = type(leaf)
    if not hasattr(leaf, "__dict__") or isinstance(leaf, (ndarray, type, FunctionType)) or conversion(leaf):
        return ""
    return f", register its class with covector.tree.register{'_dataclass' if is_dataclass(kind) else ''}"


_CONVERSIONS = {"torch": "x.detach().numpy()", "jax": "np.asarray(x)", "jaxlib": "np.asarray(x)",
                "tensorflow": "x.numpy()", "pandas": "x.to_numpy()", "polars": "x.to_numpy()", "scipy": "x.toarray()"}


def computable(leaf):
    """Tell whether operations take `leaf`: a traced value, a number, an array of a library."""
    return isinstance(leaf, Tracer) or type(leaf) in WEAK or find_backend(type(leaf)) is not None


def in_dtype(value, aval, name, what):
    """`value` in the dtype of `aval`, cast within its kind; Python numbers become arrays."""
    found = aval_of(value)
    if found.dtype == aval.dtype and not found.weak:
        return value
    if not np.can_cast(found.dtype, aval.dtype, "same_kind"):
        raise DtypeError(f"{name} needs a {what} of dtype {aval.dtype}, but got {found.dtype}; cast it, or take its "
                         f"real part{at_user_line()}")
    return np.asarray(value, aval.dtype) if found.weak else recast(value, aval.dtype)


def answer_aval(value):
    """The aval of a leaf that the user's function returned."""
    try:
        return aval_of(value)
    except DtypeError:
        raise DtypeError(f"a derivative needs a function that returns arrays and numbers, but one result is {value!r} "
                         f"of type {type(value).__name__}; return it with has_aux=True{registration(value)}, or "
                         f"keep it outside{at_user_line()}") from None


def settle(value):
    """Read a buffer, or unwrap a traced value from a labelled array; return other values as they are."""
    kind = type(value)
    if kind is Buffer:
        return value.read()
    if kind in BARE or isinstance(value, Tracer):
        return value
    inside = traced_in(value)
    return value if inside is None else settle(inside)


def split_aux(result, name):
    """`(out, aux)` of a function called with has_aux=True."""
    if type(result) not in (tuple, list) or len(result) != 2:
        given = f"one value ({result.aval!r})" if isinstance(result, Tracer) else type(result).__name__
        raise TypeError(f"{name} with has_aux=True needs a function that returns a pair (out, aux), but got {given}; "
                        f"return both, or drop has_aux{at_user_line()}")
    return result


def same_structure(tree, rebuild, count, name, what):
    """Leaves of `tree`, which must have the structure of `rebuild`'s pytree of `count` leaves."""
    leaves, found = flatten(tree)
    if len(leaves) != count or found is not rebuild and found != rebuild:
        # Different ways to rebuild may stand for one structure (a list as the list of optree's): compare these, then
        # raise.
        reference = structure(rebuild([0.0] * count))
        if structure(tree) != reference:
            raise TreeError(f"{name} needs {what} with the structure {described(reference)}, "
                            f"but got {described(tree)}; give it that structure{at_user_line()}")
    return leaves


_PLAIN_RESULTS = (Tracer, ndarray, np.generic, int, float, complex, tuple, list, dict, type(None))


def only_leaf(out):
    """Unwrap a registered pytree of one array (such as a tensor of the torch layer): `(leaf, rebuild)`."""
    # Plain results first: only registered classes need optree to be looked into.
    if isinstance(out, _PLAIN_RESULTS):
        return out, None
    inside = traced_in(out)
    if inside is not None:
        return settle(inside), None
    leaves, rebuild = flatten(out)
    return (leaves[0], rebuild) if len(leaves) == 1 else (out, None)


def box_arguments(trace, args, argnums, name, allow_int=False):
    """Arguments with the chosen leaves boxed; the leaves; how to rebuild each chosen argument (None: a bare array)."""
    if type(argnums) is int and argnums == 0 and args:
        x = args[0]
        if type(x) is ndarray and x.dtype.kind == "f":
            return (_leaf(trace, x, aval_of(x), 0), *args[1:]), [x], None
    chosen = normal_argnums(argnums, len(args), name)
    args = list(args)
    leaves = []
    rebuilds = []
    tracer, keep = trace.tracer, trace.keep
    for k in chosen:
        flat, rebuild = flatten(args[k])
        boxed = []
        for x in flat:
            if type(x) is ndarray and x.dtype.kind == "f":  # the common leaf, spared the checks, the message, two calls
                out = tracer()
                out.owner = trace
                out.value = x.copy("K") if x.nbytes <= _LEAF_LIMIT else keep(x)
                out.aval = aval_of(x)
                out.node = trace.leaf(len(leaves))
                boxed.append(out)
                leaves.append(x)
                continue
            x = settle(x)
            if allow_int and not isinstance(x, str) and aval_of(x).dtype.kind in "iub":
                boxed.append(x)
                leaves.append(x)
                continue
            aval = differentiable(x, name, f"argument {k}" if len(flat) == 1 else f"a leaf of argument {k}")
            boxed.append(_leaf(trace, x, aval, len(leaves)))
            leaves.append(x)
        args[k] = rebuild(boxed)
        rebuilds.append((len(flat), rebuild))
    return args, leaves, rebuilds


def _leaf(trace, x, aval, index):
    out = trace.tracer()
    out.owner = trace
    kind = type(x)
    out.value = trace.keep(x) if isinstance(x, (ndarray, Tracer)) else WEAK_VALUE.get(kind, _same)(x)
    out.aval = aval
    out.node = trace.leaf(index)
    return out


def _same(x):
    return x


WEAK_VALUE = {float: np.float64, complex: np.complex128}


def without_values(x):
    """The gradient of an integer: its shape, and nothing in it."""
    return np.zeros(aval_of(x).shape, FLOAT0)


# Flatten small nested tuples, lists and dicts as optree does, without loading optree.

BARE = frozenset({np.ndarray, np.float64, np.float32, *WEAK})  # types of leaves, beside those of tracers
_STRINGS = frozenset({str})


_FEW = 200  # uses of nests in a process before optree, which is quicker, is loaded for them
_NEXT_USE = count().__next__


def is_early():
    """Tell whether nests are taken apart here: optree is not loaded, which takes 7 ms, and a program may have few."""
    return not is_loaded(optree) and _NEXT_USE() < _FEW


class _Other(Exception):  # noqa: N818 (no error: optree knows what it is)
    """Something that is no plain container, number or array."""


def nest_of(tree, leaves):
    """A `Nest` of the tree, whose leaves it adds to a list; None where optree has to look."""
    try:
        return Nest(_places(tree, leaves), len(leaves))
    except _Other:
        return None


def _places(tree, leaves):
    """The tree with the places of leaves in place of them, dicts in the order of their names."""
    kind = type(tree)
    if kind in BARE or isinstance(tree, Tracer | np.generic):
        leaves.append(tree)
        return len(leaves) - 1
    if tree is None:
        return None
    if kind is tuple or kind is list:
        return kind([_places(part, leaves) for part in tree])
    if kind is dict and _STRINGS.issuperset(map(type, tree)):
        places = {name: _places(tree[name], leaves) for name in sorted(tree)}
        return {name: places[name] for name in tree}
    raise _Other


class Form:
    """The structure of a pytree, which puts leaves back; equal ones are found by their number of leaves."""

    __slots__ = ()
    spec: Any
    count: Any

    def __eq__(self, other):
        return isinstance(other, Form) and self.spec == other.spec

    def __hash__(self):
        return hash((Form, self.count))


class Nest(Form):
    """That of a nest of plain tuples, lists and dicts: the nest, with places in it."""

    __slots__ = ("places", "count")

    def __init__(self, places, count):
        self.places = places
        self.count = count

    def __call__(self, leaves):
        return _filled(self.places, leaves)

    def __eq__(self, other):
        return self.places == other.places if type(other) is Nest else Form.__eq__(self, other)

    __hash__ = Form.__hash__

    @property
    def spec(self):
        """The name by which optree calls it."""
        return optree.tree_structure(self([0.0] * self.count), namespace=NAMESPACE)


def _filled(places, leaves):
    kind = type(places)
    if kind is int:
        return leaves[places]
    if places is None:
        return None
    if kind is dict:
        return {name: _filled(part, leaves) for name, part in places.items()}
    return kind([_filled(part, leaves) for part in places])


class Rebuild(Form):
    """That of any pytree, as optree has it."""

    __slots__ = ("spec",)

    def __init__(self, spec):
        self.spec = spec

    def __call__(self, leaves):
        return optree.tree_unflatten(self.spec, leaves)

    @property
    def count(self):
        """Of leaves."""
        return self.spec.num_leaves


# Lazy import of optree, for the first pytree that is no flat tuple, list or dict of arrays.

optree: Any = LazyModule("optree")
NAMESPACE = "covector"  # of the classes that are registered as nodes
