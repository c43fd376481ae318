"""torch's names of the nodes that covector's primitives record."""

from ..... import _engine

NAMES = {
    "log1p": "Log1P",
    "absolute": "Abs", "add": "Add", "subtract": "Sub", "multiply": "Mul", "divide": "Div", "negative": "Neg",
    "power": "Pow", "integer_power": "Pow", "square": "Pow", "arccos": "Acos", "arccosh": "Acosh", "arcsin": "Asin",
    "arcsinh": "Asinh", "arctan": "Atan", "arctan2": "Atan2", "arctanh": "Atanh", "concatenate": "Cat",
    "broadcast_to": "Expand", "transpose": "Permute", "reshape": "View", "reduce_sum": "Sum", "reduce_max": "Amax",
    "reduce_min": "Amin", "reduce_prod": "Prod", "getitem": "Slice", "matmul": "Mm", "index_update": "CopySlices",
    "take": "Index", "scatter_add": "IndexAdd", "cast": "ToCopy", "to_complex": "ToCopy", "conjugate": "Conj",
    "maximum": "Maximum", "minimum": "Minimum", "logsumexp": "Logsumexp", "eigh": "LinalgEigh", "qr": "LinalgQr",
    "inv": "LinalgInv", "det": "LinalgDet", "slogdet": "LinalgSlogdet", "solve": "LinalgSolveEx",
    "cholesky": "LinalgCholeskyEx", "rint": "Round", "remainder": "Remainder", "where": "Where", "pad": "ConstantPadNd",
    "gammaln": "Lgamma", "entr": "SpecialEntr", "ndtr": "Mul", "ndtri": "SpecialNdtri", "log_ndtr": "SpecialLogNdtr",
    "erfcx": "SpecialErfcx", "i0e": "SpecialI0E", "i1": "SpecialI1", "i1e": "SpecialI1E", "j0": "SpecialBesselJ0",
    "j1": "SpecialBesselJ1", "y0": "SpecialBesselY0", "y1": "SpecialBesselY1",
}


class NamedRule(_engine.Rule):
    """A rule under a name of torch's, and how its node shows its operands if not one for one.

    `shows(node)` gives the operand nodes (None for one without gradient); `call` is that of an `Extra`. `ties` says
    that it is the rule of a piecewise linear operation (`engine/recorded_rules.py`).
    """

    __slots__ = ("call", "shows", "ties", "title")

    def __init__(self, rule, title, shows=None, call=None, ties=False):
        for slot in _engine.Rule.__slots__:
            setattr(self, slot, getattr(rule, slot))
        self.title = title
        self.shows = shows
        self.call = call
        self.ties = ties
        if ties:
            self.again = None  # that of a rule whose gradient is a constant


def in_order(active, order):
    """A getter of a node's visible operands in torch's order, None for one without gradient.

    Args:
        active: which operands of the primitive have one.
        order: their places in torch's order.
    """
    spots = [active.index(i) if i in active else None for i in order]

    def shows(node):
        found = node.parents if type(node.parents) is tuple else (node.parents,)
        return [None if k is None else found[k] for k in spots]

    return shows


def name_of(rule):
    """`MulBackward0` for the rule of `multiply`."""
    if rule is None or rule.prim is None:
        return "Backward" if rule is None else f"{rule.names[0]}Backward" if rule.names else "Backward"
    name = rule.prim.name.removesuffix("_by_output")
    if name in NAMES:
        return NAMES[name] + "Backward0"
    return "".join(part.capitalize() for part in name.split("_")) + "Backward0"


# Operands that PyTorch's nodes show: indices and masks have no edge, a weight that is left out has an empty one.
_DISPLAYED = {name + "Backward0": (0,) for name in (
    "Gather", "IndexSelect", "Take", "Index", "MaskedSelect", "IndexFill", "NllLoss", "TakeAlongDim")}
_DISPLAYED |= {name + "Backward0": (0, 2) for name in (
    "Scatter", "ScatterAdd", "ScatterReduce", "IndexAdd", "IndexCopy", "IndexReduce", "Put")}
_DISPLAYED |= {"ScatterBackward1": (0,), "MaskedFillBackward0": (), "MaskedFillBackward1": (0, 2),
               "EmbeddingBackward0": (1,), "IndexPutBackward0": (0, -1)}
# A number beside a tensor.
_NUMBERS = frozenset({"PowBackward0", "FmodBackward0", "RemainderBackward0", "CopysignBackward1"})
_WIDE = {"ConvolutionBackward0": 3, "NativeLayerNormBackward0": 3, "NativeGroupNormBackward0": 3}


def displayed(name, edges):
    """The edges of a node that PyTorch shows, of those to all operands."""
    places = _DISPLAYED.get(name)
    if places is not None and len(edges) > 1:
        kept = {i % len(edges) for i in places if i < len(edges)}
        return tuple([e for i, e in enumerate(edges) if i in kept or e[0] is not None])
    if name in _NUMBERS and edges[1:] == [(None, 0)]:
        return (edges[0],)
    return (*edges, *[(None, 0)] * (_WIDE.get(name, 0) - len(edges)))
