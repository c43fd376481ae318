"""A sample of an operation: one call, written once, that either library can make in any of its forms."""

import numpy as np

ROWS = {}  # name -> Row, in the order of the surface
TIER = ["First"]  # that of the rows being added
# Names that exist on Tensor only, as methods; and those that are properties.
METHODS = frozenset(
    """view item to repeat expand expand_as view_as reshape_as sum_to_size contiguous new_zeros new_ones
    new_full new_empty masked_fill index_fill put zero_ unfold fill_ uniform_ exponential_ geometric_ cauchy_
    log_normal_ normal_ random_ float double long int bool half byte char short cfloat cdouble __getitem__ __radd__
    __rsub__ __rmul__ __rdiv__ __rpow__ __rmatmul__ __rand__ __ror__ __rxor__ __rmod__""".split()
)
PROPERTIES = frozenset(("T", "mT", "H", "mH"))


class Dtype(str):
    """A dtype by its name, the library's own when the call is made."""


class Listed(list):
    """A list (or, nested, lists) of tensors in the place of one argument."""


class Call:
    """The arguments of one call: arrays stand for tensors."""

    def __init__(self, /, *args, **named):
        self.args, self.named = args, named

    def changed(self, change):
        """The same call with every array changed."""
        return Call(*[over(a, change) for a in self.args], **{k: over(v, change) for k, v in self.named.items()})

    def arrays(self):
        """The arrays, in order."""
        found = []
        self.changed(lambda a: found.append(a) or a)
        return found

    def with_arrays(self, arrays):
        """The same call with other arrays (or tensors) in the places of its own."""
        rest = iter(arrays)
        return self.changed(lambda a: next(rest))


def over(x, change):
    """`change` of every array in a nest."""
    if isinstance(x, np.ndarray):
        return change(x)
    if isinstance(x, Listed):
        return Listed(over(v, change) for v in x)
    return x


class Row:
    """An operation: its name, tier and sample calls, and what of them may be compared.

    Args:
        random: only shapes and dtypes are the same in two libraries.
        via: what of the answer to compare, where it is determined up to signs.
        smooth: False where derivatives are not compared: the answer jumps, or PyTorch gives another subgradient.
        regular: there is a derivative at regular matrices alone, hence none where all elements are the same.
        tol: how much farther than usual numbers may be from each other.
        crashes: variants that end PyTorch's process.
    """

    def __init__(self, name, calls, random=False, via=None, smooth=True, regular=False, tol=1.0, crashes=()):
        self.name, self.calls, self.tier = name, calls, TIER[0]
        self.random, self.via, self.smooth, self.regular = random, via, smooth, regular
        self.tol, self.crashes = tol, crashes

    @property
    def last(self):
        return self.name.rpartition(".")[2]

    def function(self, torch):
        """The operation as a function of its arguments."""
        if self.name in PROPERTIES:
            return lambda x: getattr(x, self.name)
        if self.name in METHODS:
            return lambda x, *args, **named: getattr(x, self.name)(*args, **named)
        return find(torch, self.name)


def find(root, path):
    """An attribute by its dotted path."""
    for part in path.split("."):
        root = getattr(root, part)
    return root


def c(*args, **named):
    """One call."""
    return Call(*args, **named)


def row(names, *calls, **facts):
    """A row for each name, with the same calls."""
    for name in names.split():
        ROWS[name] = Row(name, calls, **facts)


def random(seed):
    """A generator, for the arrays of one file."""
    return np.random.default_rng(seed)
