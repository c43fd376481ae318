"""Dtypes that an operation refuses, beside its signatures: by the table that was measured of PyTorch."""

import re

from ..types.dtypes import c_type, letter, promote_types, promoted, type_word
from ..types.mixture_table import MIXED
from ..types.refusal_table import REFUSED
from .refused_forms import FORMS


class Refusals:
    """Checks of one operation's refusals.

    Args:
        place: which tensor's dtype counts, None for the common one of all operands.
    """

    __slots__ = ("alone", "dtypes", "forms", "mixed", "place")

    def __init__(self, place=0):
        self.place = place
        self.alone = False  # whether the operation itself tells of mixtures in which several differ from the first
        self.dtypes = {}  # letter -> (class, message, marks: ^ tensors without axes, ~ without elements are taken)
        self.forms = ()  # [(letters, error or None where it is taken, whether a call is of the form)]
        self.mixed = {}  # place of a tensor -> [(letters of the first one, of it, (class, message) or None: taken)]

    def check(self, name, args, kwargs, tensors):
        """Raise PyTorch's error where the dtypes of the tensors are refused, in this form, alone or together."""
        first = tensors[0]
        own = first.dtype
        for letters, error, fits in self.forms:
            if (letter(own) or "-") in letters and fits(*args, **kwargs):
                if error is None:
                    return
                raise told((*error, ""), name, first, own, first)
        mixed = False
        for t in tensors:
            if t is not first and t.dtype is not own:
                mixed = True
                break
        if mixed and self.mixed and not (self.alone and sum(t.dtype is not own for t in tensors) > 1):
            for place, groups in self.mixed.items():
                if place < len(tensors) and (dtype := tensors[place].dtype) is not own:
                    one, other = letter(own) or "-", letter(dtype) or "-"
                    for ones, others, found in groups:
                        if one in ones and other in others:
                            if found is None:
                                return
                            raise told(found, name, first, dtype, tensors[place])
        if self.dtypes:
            if self.place is None:
                of, dtype = first, common(args, tensors, mixed)
            else:
                of = tensors[self.place] if self.place < len(tensors) else first
                dtype = of.dtype
                if mixed and any(t.dtype is not dtype and t.dtype.category > 1 for t in tensors):
                    return  # other mixtures are refused by the operation itself, or not at all
            found = self.dtypes.get(letter(dtype))
            if found is not None and not ("^" in found[2] and any(not t.shape for t in tensors)
                                          or "~" in found[2] and any(0 in t.shape for t in tensors)):
                raise told(found, name, of, dtype, of)


def common(args, tensors, mixed):
    """The dtype that operands have together; None where a Python number among the first two raises its kind."""
    dtype = tensors[0].dtype
    if mixed:
        dtype = promoted([t.dtype for t in tensors if t.shape], [t.dtype for t in tensors if not t.shape], ())
    return None if any(_NUMBERS.get(type(v), 0) > dtype.category for v in args[:2]) else dtype


_NUMBERS = {bool: 0, int: 1, float: 2, complex: 3}


def told(found, name, main, dtype, tensor):
    """The error of a line of the table."""
    kind, message, _ = found
    first = main.dtype.numpy
    return kind(message.format(
        name=name.rpartition(".")[2].removesuffix("_with_indices"), word=type_word(dtype.numpy),
        c=c_type(dtype.numpy), type=_type(dtype.numpy), main=type_word(first), main_c=c_type(first),
        main_type=_type(first), common=type_word(promote_types(main.dtype, dtype).numpy), shape=list(tensor.shape)))


def _type(dtype):
    """The type name of a dtype in messages."""
    word = type_word(dtype)
    return f"CPU{word}Type" if "omplex" in word or word == "BFloat16" else f"torch.{word}Tensor"


def _read():
    """The tables, by the names of operations."""
    kinds = {kind.__name__: kind for kind in (NotImplementedError, RuntimeError, TypeError, ValueError)}
    found = {}
    for line in REFUSED.strip().split("\n"):
        names, letters, kind, message = line.split(" | ", 3)
        for marked in names.split():
            name, _, place = _MARKS.sub("", marked).partition("@")
            facts = found.get(name)
            if facts is None:
                facts = found[name] = Refusals(None if marked[-1] == "*" else int(place or 0))
            facts.dtypes |= dict.fromkeys(letters, (kinds[kind], message, marked))
    for line in MIXED.strip().split("\n"):
        names, letters, kind, message = line.split(" | ", 3)
        error = (kinds[kind], message, "") if kind in kinds else None  # taken
        groups = [(*group.split(":"), error) for group in letters.split()]
        for marked in names.split():
            name, _, place = marked.partition("@")
            found.setdefault(name, Refusals()).mixed.setdefault(int(place), []).extend(groups)
    for name, *form in FORMS:
        facts = found.setdefault(name, Refusals())
        facts.forms = (*facts.forms, form)
    return found


_MARKS = re.compile(r"[*^~]")
_BY_NAME = _read()


def refusals(name):
    """The refusals of an operation, or of the one that it is a part of; None for nothing."""
    return _BY_NAME.get(name.removesuffix("_with_indices"))
