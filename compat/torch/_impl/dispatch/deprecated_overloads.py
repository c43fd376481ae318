"""Calls by PyTorch's deprecated overloads, with a number in front of a tensor: `add(x, 2, y)` for `x + 2 * y`."""

import functools

from ..modes.warnings import first, tell
from ..types.tensor_type import TensorBase

PRODUCTS = {"addmm": ("mat1", "mat2"), "addmv": ("mat", "vec"), "addr": ("vec1", "vec2"),
             "addbmm": ("batch1", "batch2"), "baddbmm": ("batch1", "batch2")}
_FORMS = dict.fromkeys(("add", "sub"), ("input alpha other",)) | dict.fromkeys(
    ("addcmul", "addcdiv"), ("input value tensor1 tensor2",)) | {
    name: (f"beta input alpha {a} {b}", f"beta input {a} {b}") for name, (a, b) in PRODUCTS.items()}
_METHODS = {name: (f"input beta alpha {a} {b}", f"input beta {a} {b}") for name, (a, b) in PRODUCTS.items()}
_NUMBERS = frozenset({"alpha", "beta", "value"})


def method_of(name, fun):
    """The method of a function, whose deprecated overloads have the tensor first: `x.addmm(2, y, z)`."""

    @functools.wraps(fun)
    def method(self, *args, **named):
        if args and not isinstance(args[0], TensorBase):
            (self, *args), named = modern(name, (self, *args), named, _METHODS)
        return fun(self, *args, **named)

    return method


def modern(name, args, named, forms=_FORMS):
    """`(args, named)` of a call by a deprecated overload as the present one takes them; of any other call the same.

    PyTorch's warning is given, once a process for each overload.
    """
    plain = name.removesuffix("_")
    for form in forms.get(plain, ()):
        words = form.split()
        given = dict(zip(words, args)) | {k: v for k, v in named.items() if k in words[len(args):]}
        if len(given) == len(words) and len(given) + ("out" in named) == len(args) + len(named) and all(
                fits(plain, word, v) for word, v in given.items()):
            if first((name, form)):
                warn(name, words)
            placed = tuple([v for word, v in given.items() if word not in _NUMBERS])
            numbers = {word: v for word, v in given.items() if word in _NUMBERS}
            return placed, numbers | ({"out": named["out"]} if "out" in named else {})
    return args, named


def fits(name, word, v):
    """Tell whether a value may stand for a parameter: `add` and `sub` take a number as their last operand, too."""
    if word == "other":
        return isinstance(v, TensorBase | int | float | complex)
    return isinstance(v, TensorBase) is not (word in _NUMBERS)


def warn(name, words):
    """PyTorch's warning, at the user's line."""
    shown = ", ".join(f"{'Number' if word in _NUMBERS else 'Tensor'} {word}" for word in words)
    present = ", ".join([f"Tensor {word}" for word in words if word not in _NUMBERS] + ["*"] + [
        f"Number {word} = 1" for word in words if word in _NUMBERS])
    tell(f"This overload of {name} is deprecated:\n\t{name}({shown})\nConsider using one of the following "
         f"signatures instead:\n\t{name}({present})")
