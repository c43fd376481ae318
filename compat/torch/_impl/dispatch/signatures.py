"""Checks of arguments against torch's signatures, and torch's TypeErrors where none fits.

A signature is part of a line of `operation_table.py` or `namespace_table.py`. `check` runs before an operation computes
anything; calls whose types were accepted once are not looked at again.
"""

import functools
import numbers
import re

import numpy as np

from ..types.dtypes import OF_PYTHON, dtype as Dtype, torch_dtype
from ..types.namespace_table import OF_NAMESPACES, PYTHON
from ..types.operation_table import FUNCTIONS
from ..types.size import Size
from ..types.tensor_type import TensorBase
from .deprecated_overloads import modern

_LIMIT = 64  # combinations of types remembered an operation
SYNONYMS = {"axis": "dim", "keepdims": "keepdim", "x": "input", "a": "input", "x1": "input", "x2": "other"}
OPTIONS = frozenset(("layout", "device", "pin_memory", "requires_grad"))
_OPTIONS = "torch.layout layout = None, torch.device device = None, bool pin_memory = False, bool requires_grad = False"


class Parameter:
    """One parameter of a signature."""

    __slots__ = ("kind", "name", "none", "required")

    def __init__(self, text):
        kind, _, name = text.partition(" ")
        self.required = not name.endswith("=")
        self.name = name.rstrip("=")
        self.none = kind.endswith("?")
        self.kind = kind.rstrip("?")


class Signature:
    """One way to call an operation."""

    __slots__ = ("counts", "exact", "kinds", "least", "loose", "most", "names", "node", "numbers", "options", "out",
                 "parameters", "positional", "recorded", "renames", "spread", "text")

    def __init__(self, text, renames=True, node=None):
        self.renames = renames  # whether NumPy's names of arguments are taken
        self.parameters, self.positional, self.options = [], None, False
        self.out = self.exact = self.recorded = False
        text, _, own = text.partition(" > ")
        self.node = f"{own[:-1]}Backward{own[-1]}" if own else node
        self.text = text.replace("operand", "Tensor").replace("^", "")
        for part in text.split(", "):
            if part == "*":
                self.positional = len(self.parameters)
            elif part.startswith(("out?", "out!")):
                self.out, self.exact, self.recorded = True, part[3] == "!", part.endswith("^")
            elif part == "options":
                self.options = True
            elif part:
                self.parameters.append(Parameter(part))
        if self.positional is None:
            self.positional = len(self.parameters)
        self.names = {p.name: p for p in self.parameters}
        self.numbers = any(p.kind == "operand" for p in self.parameters)  # may stand for tensors, in `out=`, too
        self.counts = frozenset([p.name for p in self.parameters if p.kind in INTEGERS or p.kind == "float" or (
            p.kind == "any" and p.name in COUNTS)])
        self.least = sum(p.required for p in self.parameters)
        self.most = len(self.parameters) + self.out + len(OPTIONS) * self.options
        self.kinds = kinds = [p.kind for p in self.parameters[:self.positional]]
        self.spread = kinds in (["ints"], ["sizes"])  # sizes may be spread out
        self.loose = kinds in (["Tensor", "ints"], ["Tensor", "sizes"])  # and those of a method

    def refusal(self, name, args, named, loose=False):
        """Why a call does not fit, as torch says it; None if it does. A method takes sizes one by one: `loose`."""
        count = len(args)
        last = self.positional - 1
        spread = self.spread or loose and self.loose
        if spread and count > last and all(map(INTEGERS[self.parameters[last].kind], args[last:])):
            count = last  # sizes one by one
        elif count > self.positional:
            return (f"{name}() takes {self.positional} positional argument{'s' * (last != 0)} but {count} were given")
        for place in range(count):
            p = self.parameters[place]
            if not fits(p, args[place]):
                return f"{name}(): argument '{p.name}' (position {place + 1}) must be {unlike(p.kind, args[place])}"
        seen = 0
        missing = []
        for p in self.parameters[count:]:
            if p.name in named:
                seen += 1
                if not fits(p, named[p.name]):
                    return f"{name}(): argument '{p.name}' must be {unlike(p.kind, named[p.name])}"
            elif p.required and not (spread and len(args) > last):
                missing.append(p.name)
        if missing:
            shown = ", ".join(f'"{m}"' for m in missing)
            return f"{name}() missing {len(missing)} required positional arguments: {shown}"
        if seen < len(named):
            for k, v in named.items():
                if k == "out" and self.out:
                    if v is not None and not (isinstance(v, TensorBase) or isinstance(v, tuple | list) and all(
                            isinstance(t, TensorBase) for t in v) or self.numbers and isinstance(v, numbers.Number)):
                        return f"{name}(): argument 'out' must be Tensor, not {type(v).__name__}"
                elif k in self.names and k in [p.name for p in self.parameters[:count]]:
                    return f"{name}() got multiple values for argument '{k}'"
                elif k not in self.names and not (self.options and k in OPTIONS):
                    return f"{name}() got an unexpected keyword argument '{k}'"
        return None


    def counted(self, args, named):
        """The arguments of a call that fits with the sizes and counts among them as integers of Python."""
        if not self.counts:
            return args, named
        last = self.positional - 1
        places = [p.name in self.counts for p in self.parameters[:self.positional]]
        places += [self.spread or self.loose] * (len(args) - last)
        found = tuple([integers(v) if at else v for v, at in zip(args, places)])
        return found, {k: integers(v) if k in self.counts else v for k, v in named.items()}


def takes(text):
    """Check the arguments of a method that is no operation of the table, but for the tensor, against a signature."""
    signature = Signature(text)

    def decorate(fn):
        @functools.wraps(fn)
        def method(self, *args, **named):
            words = signature.refusal(fn.__name__, args, named)
            if words is not None:
                raise TypeError(words)
            args, named = signature.counted(args, named)
            return fn(self, *args, **named)

        return method

    return decorate


_PARSED = {}  # name -> its signatures
_TEXTS = {}  # name -> its line, and whether NumPy's names of arguments are taken


def signatures(name):
    """The signatures of an operation; () where none is written down."""
    found = _PARSED.get(name)
    if found is None:
        if not _TEXTS:
            for lines in (FUNCTIONS, OF_NAMESPACES, PYTHON):
                for line in lines.splitlines():
                    names, _, text = line.partition(": ")
                    _TEXTS.update(dict.fromkeys(names.split(), (text, lines is not PYTHON)))
        text, renames = _TEXTS.get(name, (None, True))
        found = _PARSED[name] = () if text is None else tuple([
            Signature(part, renames, camel(name)) for part in text.split(" | ")])
    return found


BY_SIGNATURE = object()  # the node of an operation whose row does not name it


def title(row, way, given, named):
    """torch's name of the node of a call: that of the signature it fits, unless the row says it.

    Of a row's tests the first that holds decides.
    """
    node = row.node
    if node is BY_SIGNATURE:
        ways = (way,) if way is not None else signatures(row.name)
        return ways[0].node if ways else camel(row.name)
    if type(node) is not dict:
        return node
    return next((name for test, name in node.items() if test(given, named)), None)


def written_title(row, way, given, named):
    """torch's name of the node of a call in place: that of the signature of `name_`, if it names one."""
    own = signatures(row.name + "_")
    return own[0].node if len(own) == 1 and own[0].node != camel(row.name) else title(row, way, given, named)


def same_node(name):
    """Tell whether the node of an operation has the same name where it is in place."""
    own = signatures(name + "_")
    return len(own) != 1 or own[0].node == camel(name) or {way.node for way in signatures(name)} == {own[0].node}


def camel(name):
    """`LogSoftmaxBackward0` for `log_softmax`, `LinalgCondBackward0` for `linalg.cond`."""
    room, _, last = name.rpartition(".")
    parts = [room] * (room in ("linalg", "special")) + last.split("_")
    return "".join(part[:1].upper() + part[1:] for part in parts) + "Backward0"


def synonyms(name, named):
    """The arguments of a call with NumPy's names of axes replaced, where torch takes those as well."""
    for old in named:
        new = SYNONYMS.get(old)
        if new is not None and new not in named:
            ways = signatures(name)
            if any(s.renames and new in s.names and old not in s.names for s in ways):
                named = {new if k == old else k: v for k, v in named.items()}
    return named


def check(row, args, named):
    """The arguments of a call as its body takes them, leading ones by place, and the signature that they fit.

    torch's TypeError where none fits.
    """
    seen = row.seen
    if seen is None:
        return args, named, None
    for x in (*args, *named.values()) if named else args:
        if type(x) is int and not -(2**63) <= x < 2**64:
            raise OverflowError("int too big to convert" if x > 0 else "can't convert negative int to unsigned")
    name = row.name
    if named:
        named = synonyms(name, named)
        key = (*map(type, args), *named, *map(type, named.values()))
    else:
        key = tuple(map(type, args))
    if type in key:  # one of Python's types of numbers in the place of a dtype
        args, named = tuple([torch_dtype(v) for v in args]), {k: torch_dtype(v) for k, v in named.items()}
    way = seen.get(key)
    if way is None and not _NESTS.isdisjoint(key):
        key = with_items(key, args, named)
        way = seen.get(key)
    if way is None:
        ways = signatures(name)
        if not ways:
            return args, named, None
        try:
            way = match_signature(name, ways, args, named, row.loose)
        except TypeError:
            present, named = modern(name, args, named)
            if present is args:
                raise
            way, key, args = match_signature(name, ways, present, named, row.loose), None, present
        if key is not None and len(seen) < _LIMIT and repeatable(way, args, named, type(key[0]) is tuple):
            seen[key] = way
        else:
            args, named = way.counted(args, named)
    if named:
        for p in way.parameters[len(args):way.positional]:
            if not p.required or p.name not in named:
                break
            named = dict(named)
            args = (*args, named.pop(p.name))
    return args, named, way


def gathered(fun):
    """The method of a function of a tensor and sizes or axes, which takes these one by one, too."""

    @functools.wraps(fun)
    def method(self, *sizes, **named):
        if sizes and all(map(whole, sizes)):
            return fun(self, sizes, **named)
        return fun(self, *sizes, **named)

    return method


class Looked:
    """A function that is no operation, as `check` sees it: its name, the types that it was called with, and whether it
    takes sizes one by one (`loose`), as methods do."""

    __slots__ = ("loose", "name", "seen")

    def __init__(self, name, loose=False):
        self.name, self.loose, self.seen = name, loose, {}


def signed(name, loose=False):
    """Make a function of tensors, or a method if it is `loose`, compare its arguments with the signatures of torch's
    `name` first."""

    def make(fun):
        row = Looked(name, loose)

        @functools.wraps(fun)
        def looked(*args, **named):
            args, named, _ = check(row, args, named)
            return fun(*args, **named)

        looked.signed = True
        return looked

    return make


def match_signature(name, ways, args, named, loose=False):
    """The first signature that a call fits, or torch's TypeError."""
    refusals = []
    for way in ways:
        why = way.refusal(name.rpartition(".")[2], args, named, loose)
        if why is None:
            return way
        refusals.append(why)
    raise refused(name, ways, refusals, args, named)


_NESTS = frozenset({tuple, list, Size})
_TOLD = frozenset({int, bool, float, complex, str, type(None)})  # of which types alone say whether they fit


def with_items(key, args, named):
    """A key of types with the types of the items of sequences beside it; the key itself where those do not suffice."""
    items = []
    for v in (*args, *named.values()):
        if type(v) in _NESTS:
            kinds = frozenset(map(type, v))
            if not kinds <= _TOLD:
                return key
            items.append(kinds)
    return key, *items


def repeatable(way, args, named, items):
    """Tell whether the types of a call alone made it fit; `items` says whether those of items are known."""
    parameters = *[p if k < way.positional else None for k, p in enumerate(way.parameters[: len(args)])], *[
        None] * (len(args) - len(way.parameters)), *map(way.names.get, named)
    for p, v in zip(parameters, (*args, *named.values())):
        if isinstance(v, tuple | list) and not (items and type(v) in _NESTS) or isinstance(v, np.integer | np.ndarray):
            return False
        if isinstance(v, TensorBase) and not (p is not None and (
                p.kind in ("Tensor", "duck", "operand") or p.kind == "any" and p.name not in way.counts)):
            return False
    return True


def refused(name, ways, refusals, args, named):
    """torch's TypeError for a call that fits none of the ways."""
    last = name.rpartition(".")[2]
    shown = last if name.partition(".")[0] not in ("linalg", "fft", "special") else name.replace(".", "_")
    count = len(args) + len(named)
    likely = [why for way, why in zip(ways, refusals) if way.least <= count <= way.most]
    if len(ways) == 1 or len(likely) == 1:  # the only one with as many arguments
        return TypeError((refusals if len(ways) == 1 else likely)[0].replace(last + "(", shown + "(", 1))
    given = ", ".join([type(v).__name__ for v in args] + [f"{k}={type(v).__name__}" for k, v in named.items()])
    lines = "".join(f"\n * ({', '.join(map(_worded, s.text.split(', ')))})" for s in ways)
    return TypeError(f"{shown}() received an invalid combination of arguments - got ({given}), but expected one of:"
                     f"{lines}\n")


def _worded(part):
    """A part of a signature as PyTorch writes it; what a default is, the tables do not say."""
    if part.startswith(("out?", "out!")):
        return "Tensor out = None"
    if part == "options":
        return _OPTIONS
    kind, _, name = part.partition(" ")
    if not name:
        return part
    default = "" if not name.endswith("=") else " = None" if kind.endswith("?") or kind == "dtype" else " = ..."
    return f"{WORDS[kind.rstrip('?')]} {name.rstrip('=')}{default}"


def in_place_words(words, name):
    """A refusal of an operation in the words of its form in place, a method: without the tensor itself."""
    last = name.rpartition(".")[2]
    words = re.sub(r"got \(Tensor(, )?", "got (", words.replace(f"{last}(", f"{last}_(", 1))
    words = re.sub(r"\(position (\d+)\)", lambda m: f"(position {int(m[1]) - 1})", words)
    words = re.sub(r"takes (\d+) positional arguments? but (\d+) were", lambda m: (
        f"takes {int(m[1]) - 1} positional argument{'s' * (m[1] != '2')} but {int(m[2]) - 1} were"), words)
    lines = [line for line in words.split("\n") if not line.startswith(" * (Number input")]
    return "\n".join([re.sub(r"(, \*)?, Tensor out = None\)$", ")", line.replace("(Tensor input, ", "(", 1))
                      for line in lines])


# Kinds of arguments: which values a parameter takes, and sizes, counts and axes as integers of Python.

WORDS = {"Tensor": "Tensor", "Number": "Number", "int": "int", "size": "int", "float": "float", "bool": "bool",
         "str": "str", "dtype": "torch.dtype", "ints": "tuple of ints", "ints1": "tuple of ints",
         "sizes": "tuple of ints", "sizes1": "tuple of ints", "floats": "tuple of floats",
         "Tensors": "tuple of Tensors", "any": "object", "duck": "Tensor", "operand": "Tensor"}
COUNTS = frozenset("""
dilation dim dims kernel_size norm_type output_padding output_size p padding size stride
""".split())  # which the tables know no kind of: functions in Python take several


def fits(p, v):
    """Tell whether a value may be given for a parameter."""
    kind = p.kind
    if kind == "duck" and not (v is None and p.none):
        if not isinstance(v, TensorBase):
            raise AttributeError(f"'{type(v).__name__}' object has no attribute 'size'")
        return True
    if v is None:
        return p.none or kind == "any"
    if kind == "Tensor":
        return isinstance(v, TensorBase)
    if kind == "operand":
        return isinstance(v, TensorBase | numbers.Number | np.bool_)
    if kind == "Number":
        return isinstance(v, numbers.Number | np.bool_) or isinstance(v, TensorBase) and not v.dim()
    if kind in INTEGERS:
        test = INTEGERS[kind]
        if isinstance(v, tuple | list):
            return kind not in ("int", "size") and all(map(test, v))
        return kind in ("int", "size", "sizes1") and test(v) or kind == "ints1" and (
            test(v) and not isinstance(v, np.ndarray))
    if kind == "float":
        return isinstance(v, float | int | np.floating | np.integer) or isinstance(
            v, TensorBase) and not v.dim() and not v.is_complex()
    if kind == "bool":
        return isinstance(v, bool | np.bool_)
    if kind == "str":
        return isinstance(v, str)
    if kind == "dtype":
        return isinstance(v, Dtype) or isinstance(v, type) and v in OF_PYTHON
    if kind == "floats":
        return isinstance(v, tuple | list) and all(isinstance(n, float | int) for n in v)
    if kind == "Tensors":
        return isinstance(v, tuple | list) and all(isinstance(n, TensorBase) for n in v)
    return True


def unlike(kind, v):
    """The mismatch between a parameter's kind and the value given, in words."""
    if kind in ("ints", "ints1", "sizes", "sizes1", "floats") and isinstance(v, tuple | list):
        for place, n in enumerate(v):
            if not (isinstance(n, float | int) if kind == "floats" else INTEGERS[kind](n)):
                return f"{WORDS[kind]}, but found element of type {type(n).__name__} at pos {place}"
    return f"{WORDS[kind]}, not {type(v).__name__}"


def integer(v):
    """Tell whether a value is an integer: of Python, of NumPy, or a tensor without axes."""
    if isinstance(v, TensorBase):
        return not v.dim() and counts(v)
    return isinstance(v, int | np.integer) and not isinstance(v, bool)


def counts(v):
    """Tell whether a value counts as an integer that sizes are made of: an integer, or an array or tensor of one."""
    return whole(v) and not (isinstance(v, TensorBase) and v.dtype.numpy.kind == "b")


def whole(v):
    """Tell whether a value counts as an integer: of Python, of NumPy, or a tensor of one element."""
    if type(v) is int:
        return True
    if isinstance(v, TensorBase):
        return v.numel() == 1 and not (v.is_floating_point() or v.is_complex())
    if isinstance(v, np.ndarray):
        return not v.ndim and v.dtype.kind in "iu"
    return isinstance(v, int | np.integer) and not isinstance(v, bool | np.bool_)


INTEGERS = {"int": integer, "size": counts, "ints": whole, "ints1": whole, "sizes": counts, "sizes1": counts}


def integers(v):
    """Sizes and counts as numbers of Python, alone or in a sequence: of what `whole` takes, of a tensor of a float."""
    if type(v) is int or type(v) is float:
        return v
    if isinstance(v, tuple | list):
        return v if all(type(n) is int for n in v) else tuple([integers(n) for n in v])
    if isinstance(v, TensorBase) and not v.dim() and v.is_floating_point() and not v.requires_grad:
        return v.item()
    return int(v) if whole(v) else v
