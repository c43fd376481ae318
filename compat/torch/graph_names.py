"""torch's names of the nodes that covector's primitives record."""

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


def name_of(rule):
    """`MulBackward0` for the rule of `multiply`."""
    if rule is None or rule.prim is None:
        return "Backward" if rule is None else f"{rule.names[0]}Backward" if rule.names else "Backward"
    name = rule.prim.name
    if name in NAMES:
        return NAMES[name] + "Backward0"
    return "".join(part.capitalize() for part in name.split("_")) + "Backward0"
