"""Dtypes that an operation refuses, beside its signatures: by the table that was measured of PyTorch."""

import numpy as np

from ..types.dtypes import OF_NUMPY, c_type, letter, type_word
from ..types.mixture_table import MIXED
from ..types.refusal_table import REFUSED
from .refused_forms import FORMS


class Refusals:
    """What one operation refuses.

    Args:
        place: which tensor's dtype counts, None for the common one of all operands.
    """

    __slots__ = ("alone", "dtypes", "forms", "mixed", "place")

    def __init__(self, place=0):
        self.place = place
        self.alone = False  # whether the operation itself tells of mixtures in which several differ from the first
        self.dtypes = {}  # letter -> (class, message, whether of tensors without axes or elements, too)
        self.forms = ()  # [(letters, error or None where it is taken, whether a call is of the form)]
        self.mixed = {}  # place of a tensor -> {letters of the first one and of it: (class, message)}

    def check(self, name, args, kwargs, tensors):
        """Raise PyTorch's error where the dtypes of the tensors are refused, in this form, alone or together."""
        for letters, error, fits in self.forms:
            if (letter(tensors[0].dtype) or "-") in letters and fits(*args, **kwargs):
                if error is None:
                    return
                raise told((*error, True), name, tensors[0], tensors[0].dtype, tensors[0])
        if self.mixed and len(tensors) > 1 and not (self.alone and sum(
                t.dtype is not tensors[0].dtype for t in tensors) > 1):
            first = tensors[0]
            for place, pairs in self.mixed.items():
                if place < len(tensors) and tensors[place].dtype is not first.dtype:
                    other = tensors[place].dtype
                    found = pairs.get(f"{letter(first.dtype)}{letter(other)}")
                    if found is not None:
                        raise told(found, name, first, other, tensors[place])
        if self.dtypes:
            of = tensors[self.place] if self.place is not None and self.place < len(tensors) else tensors[0]
            dtype = common(args, tensors) if self.place is None else of.dtype
            if any(t.dtype is not of.dtype and t.dtype.category > 1 for t in tensors) and (
                    self.place is not None or dtype is not None and dtype.category == 3):
                return  # other mixtures are refused by the operation itself, or not at all
            found = self.dtypes.get(letter(dtype))
            if found is not None and (found[2] or all(t.shape and 0 not in t.shape for t in tensors)):
                raise told(found, name, of, dtype, of)


def common(args, tensors):
    """The dtype that operands have together; None where a Python number among the first two raises its kind."""
    category = max(t.dtype.category for t in tensors)
    if any(_NUMBERS.get(type(v), 0) > category for v in args[:2]):
        return None
    return OF_NUMPY.get(np.result_type(*{t.dtype.numpy for t in tensors if t.dtype.category == category}))


_NUMBERS = {bool: 0, int: 1, float: 2, complex: 3}


def told(found, name, main, dtype, tensor):
    """The error of a line of the table."""
    kind, message, _ = found
    first = main.dtype.numpy
    return kind(message.format(
        name=name.rpartition(".")[2].removesuffix("_with_indices"), word=type_word(dtype.numpy),
        c=c_type(dtype.numpy), type=_type(dtype.numpy), main=type_word(first), main_c=c_type(first),
        main_type=_type(first), shape=list(tensor.shape)))


def _type(dtype):
    """What messages call the tensors of a dtype."""
    word = type_word(dtype)
    return f"CPU{word}Type" if "omplex" in word or word == "BFloat16" else f"torch.{word}Tensor"


def _read():
    """The tables, by the names of operations."""
    kinds = {kind.__name__: kind for kind in (NotImplementedError, RuntimeError, TypeError, ValueError)}
    found = {}
    for line in REFUSED.strip().split("\n"):
        names, letters, kind, message = line.split(" | ", 3)
        for marked in names.split():
            name, _, place = marked.rstrip("*").replace("~", "").partition("@")
            facts = found.get(name)
            if facts is None:
                facts = found[name] = Refusals(None if marked[-1] == "*" else int(place or 0))
            facts.dtypes |= dict.fromkeys(letters, (kinds[kind], message, "~" not in marked))
    for line in MIXED.strip().split("\n"):
        names, letters, kind, message = line.split(" | ", 3)
        pairs = [letters[k : k + 2] for k in range(0, len(letters), 2)]
        for marked in names.split():
            name, _, place = marked.partition("@")
            facts = found.setdefault(name, Refusals()).mixed.setdefault(int(place), {})
            facts |= dict.fromkeys(pairs, (kinds[kind], message, True))
    for name, *form in FORMS:
        facts = found.setdefault(name, Refusals())
        facts.forms = (*facts.forms, form)
    return found


_BY_NAME = _read()


def refusals(name):
    """What an operation, or the one that it is a part of, refuses; None for nothing."""
    return _BY_NAME.get(name.removesuffix("_with_indices"))
