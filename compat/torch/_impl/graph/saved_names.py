"""What nodes of PyTorch's names saved, by PyTorch's names: where a node of ours has it, or can tell it.

A row is one or several stems of node names, a colon, and words: `self=0` is operand 0, `other=1?0` operand 1, saved
where operand 0 needs a gradient, `result` the output, `dim!` an argument of the call, `keepdim!False` one with its
default, `self_sym_sizes` a shape, `dim@` a parameter of a view. Operands and outputs are those of the rule if that is a
primitive named in brackets behind the stem, and else a leaf's own value: what the tape does not keep is not listed.
"""

import inspect

import numpy as np

from . import versions
from .node import FREED, AccumulateGrad, freed

ROWS = """
Add0 Sub0: alpha!1
Rsub1: alpha!1
Mul0[multiply]: self=0?1 other=1?0
Div0[divide]: self=0?1 other=1
Pow0[square,integer_power,power]: self=0 exponent^
Pow1[power]: self=0 exponent=1 result
Pow2[power]: exponent=1 result
Exp0[exp] Tan0[tan] Tanh0[tanh] Sigmoid0[sigmoid] Sqrt0[sqrt] Rsqrt0[rsqrt] Reciprocal0[reciprocal] Relu0[relu]: result
Expm10[expm1] Exp20[exp2]: result
Log0[log] Sin0[sin] Cos0[cos] Abs0[absolute] Erf0[erf] Erfc0[erfc] Log1P0[log1p] Log20[log2] Log100[log10]: self=0
Asin0[arcsin] Acos0[arccos] Atan0[arctan] Sinh0[sinh] Cosh0[cosh] Asinh0[arcsinh] Atanh0[arctanh]: self=0
Acosh0[arccosh] Erfinv0[erfinv] Lgamma0[gammaln] Digamma0[digamma] Sinc0[sinc] I00[i0]: self=0
NanToNum0 Silu0[silu] Hardsigmoid0 Hardswish0 Mish0 Angle0 MaskedSelect0 Take0: self=0
Neg0 Sign0 Floor0 Ceil0 Round0 Trunc0 Frac0 Clone0 T0 Zero0 Fill2 Conj0 ViewAsReal0 ToCopy0:
Logit0[logit]: self=0 eps!None
Xlogy0[xlogy] Atan20[arctan2] Maximum0[maximum] Minimum0[minimum] Fmod1[fmod] Remainder1[remainder]: self=0 other=1
Elu0 LogSigmoid0 Renorm0 Copysign0 Copysign1 NllLoss0: self=0
Ldexp0: other=1
SmoothL1Loss0 HuberLoss0 BinaryCrossEntropy0: self=0 target=1
NativeLayerNorm0 NativeBatchNorm0: input=0
Convolution0[conv]: input=0?1 weight=1?0
PreluKernel0: self=0 weight=1
LinalgDet0 LinalgSlogdet0 LinalgSolveEx0: A=0
Clamp0: self=0 min=1 max=2
Complex0: real=0 imag=1
Logaddexp0[logaddexp] Fmax0[fmax] Fmin0[fmin]: self=0 other=1
Hypot0[hypot] Dist0: self=0 other=1 result
Lerp0: weight!
Addcmul0 Addcdiv0: tensor1=1 tensor2=2 value!1
Where0[where]: condition=0
Clamp1: self=0 min!None max!None
ClampMin0: self=0 min!
ClampMax0: self=0 max!
Sum0 Trace0: self_sym_sizes
Sum1: self_sym_sizes dim!s keepdim!False
Mean0: self_sym_sizes self_sym_numel
Mean1: self_sym_sizes self_sym_numel dim!s keepdim!False
Prod0[reduce_prod] Max1[reduce_max] Min1[reduce_min] Median0: self=0 result
Prod1[reduce_prod]: self=0 result dim! keepdim!False
Amax0[reduce_max] Amin0[reduce_min] Logsumexp0[logsumexp]: self=0 result dim!s keepdim!False
Max0 Min0 Median1 Mode0: self_sym_sizes dim! keepdim!False
Kthvalue0: self_sym_sizes dim! keepdim!False
Std0[sqrt]: self=0 result dim!s keepdim!False
Var0: self=0 dim!s keepdim!False
LinalgVectorNorm0: self=0 dim!s keepdim!False
Cumsum0: dim!
Cumprod0 Logcumsumexp0: self=0 dim!
Cummax0 Cummin0: self=0 dim!
Nansum0: self=0 dim!s keepdim!False
Topk0 Sort0: self_sym_sizes dim!
Mm0[matmul]: self=0?1 mat2=1?0 self_sym_sizes mat2_sym_sizes=1
Dot0[matmul]: self=0?1 tensor=1?0
Mv0[matmul]: self=0?1 vec=1?0
Vdot0[matmul]: self=0?1 other=1?0
Bmm0[matmul]: self=0?1 mat2=1?0
Addmm0 UnsafeView0 ConstantPadNd0 Embedding0 LinalgQr0 LinalgSvd0 LinalgEigh0 LinalgLu0 Index0 IndexPut0 AsStrided0:
IndexAdd0 IndexCopy0 Unfold0 MaskedScatter0 Aminmax0 LinalgCross0 FftR2C0 FftC2C0 FftC2R0:
Addmv0: mat=1?2 vec=2?1 alpha!1 beta!1
Baddbmm0: batch1=1?2 batch2=2?1 alpha!1 beta!1
Addr0: vec1=1?2 vec2=2?1 alpha!1 beta!1
View0 Expand0 Squeeze0: self_sym_sizes
Permute0: dims@
Transpose0: dim0@ dim1@
Unsqueeze0: dim@
Squeeze1: self_sym_sizes dim@
Select0[getitem]: self_sym_sizes dim@ index@
Slice0: self_sym_sizes dim@ start@ end@ step@
Flip0: dims!s
Roll0: shifts!s dims!s
Rot900: k!1 dims!s
Repeat0: self_sym_sizes
Cat0 Stack0: dim!0
Tril0 Triu0: diagonal!0
Gather0: self=0 dim! sparse_grad!False
Scatter0 Scatter1 ScatterAdd0 IndexFill0: dim!
IndexSelect0[getitem]: self_sym_sizes dim!
Softmax0[softmax] LogSoftmax0[log_softmax]: result dim!
Gelu0[gelu]: self=0 approximate!none
Softplus0: self=0 beta!1 threshold!20
LeakyRelu0: self=0 negative_slope!0.01
Hardtanh0: self=0 min_val!-1.0 max_val!1.0
Threshold0: self=0 threshold!
Hardshrink0 Softshrink0: self=0 lambd!0.5
Celu0: self=0 alpha!1.0
Glu0: self=0 dim!-1
MseLoss0[mean_squared_error]: self=0 target=1
LinalgMatrixExp0: self=0
LinalgPinv0[pinv]: self=0 result
LinalgInvEx0[inv]: inverse=-1
LinalgCholeskyEx0[cholesky]: L=-1
Polar0: result=-1
"""


class Item:
    """A saved value of the rule: its place."""

    __slots__ = ("place",)

    def __init__(self, place):
        self.place = place


class Elsewhere:
    """A value that the rule does not keep, but a leaf does; None for one that no gradient needs."""

    __slots__ = ("leaf",)

    def __init__(self, leaf):
        self.leaf = leaf

    def value(self, node):
        """The leaf, as a saved value is read."""
        if self.leaf is None:
            return None
        if node.saved is FREED:
            raise freed()
        array = self.leaf.value
        changed = versions.changed_since(array, node.seq) if versions.WRITTEN else None
        if changed is not None:
            raise node.modified(array, changed, None)
        return self.leaf

    def register_hooks(self, pack_hook, unpack_hook):
        """Refused: the rule would not see what the hooks give."""
        if self.leaf is None:
            raise RuntimeError("Calling register_hooks on a saved tensor with value None is forbidden")
        raise NotImplementedError("the rule of this operation does not keep this operand, so hooks on it would change "
                                  "nothing; use torch.autograd.graph.saved_tensors_hooks around the operation")


MISSING = object()


def known(node):
    """The names that a node of PyTorch's name has, or None for a node that PyTorch has not."""
    return TABLE.get(node.name())


def found(node, word):
    """An `Item`, an `Elsewhere`, any other value, or MISSING."""
    prims, name, kind, text = word
    rule = node.rule
    if rule is None or rule.prim is None:
        return MISSING
    edges = node.edges()
    mine = rule.prim.name in prims
    if kind == "=":
        place, _, needs = text.partition("?")
        return operand(node, mine, edges, int(place), None if not needs else int(needs))
    if kind == "sizes":
        if prims != ("",) and not mine:
            return MISSING
        return sizes(node, edges, int(text or 0))
    if kind == "numel":
        shape = sizes(node, edges, 0)
        return MISSING if shape is MISSING else int(np.prod(shape, dtype=np.int64))
    if kind == "^":
        return exponent(node)
    if kind == "@":
        return of_view(node, name)
    return argument(node, name, text)


def operand(node, mine, edges, i, needs):
    """A saved operand, or the output (-1)."""
    rule = node.rule
    if needs is not None and (edges[needs] is None if edges is not None and needs < len(edges) else
                              edges is None and needs not in rule.active):
        return Elsewhere(None)
    parents = node.parents if type(node.parents) is tuple else (node.parents,)
    own = parents[rule.active.index(i)] if i in rule.active else None
    direct = mine and (edges is None or i == -1 or own is None or i < len(edges) and edges[i] is own)
    if direct and i in rule.origins and not (i == -1 and rule.prim.outputs is not None):
        return Item(rule.origins.index(i))
    if i == -1:
        return MISSING
    node = edges[i] if edges is not None and i < len(edges) else own if edges is None else None
    return Elsewhere(node.saved) if isinstance(node, AccumulateGrad) and not node.lost else MISSING


def sizes(node, edges, i):
    """The shape of an operand."""
    rule = node.rule
    index = saved_item(node, rule.names.index("index")) if "index" in rule.names and rule.prim.name == "getitem" else ()
    if node.name() != "SqueezeBackward0" and sum(x is not Ellipsis and x != slice(None) for x in (
            index if type(index) is tuple else (index,))) > 1:
        return MISSING  # several steps in one node
    if edges is not None and i < len(edges) and isinstance(edges[i], AccumulateGrad):
        return tuple(edges[i].saved.shape)
    name = rule.prim.operands[i] + "_aval" if not rule.prim.variadic and i < len(rule.prim.operands) else None
    parents = node.parents if type(node.parents) is tuple else (node.parents,)
    own = edges is None or i in rule.active and i < len(edges) and edges[i] is parents[rule.active.index(i)]
    if name not in rule.names or not own:
        return MISSING
    return tuple(saved_item(node, rule.names.index(name)).shape)


def saved_item(node, k):
    """One of the things that a node saved, which may be no value."""
    return node.saved if len(node.rule.names) == 1 else node.saved[k]


def exponent(node):
    """The exponent of a power by a number."""
    rule = node.rule
    fixed = {"square": 2, "sqrt": 0.5}.get(rule.prim.name)
    if fixed is not None:
        return fixed
    name = {"integer_power": "n", "power": "y"}.get(rule.prim.name)
    if name in rule.names and node.saved is not FREED:
        value = saved_item(node, rule.names.index(name))
        return value if isinstance(value, int | float | complex) else argument(node, "exponent", "")
    return MISSING


def argument(node, name, default):
    """An argument of the call, as torch shows it: `s` makes a tuple of an integer."""
    many = default == "s"
    call = getattr(node.rule, "call", None) or (None if node.extra is None else node.extra.call)
    if call is None and node.extra is None:  # of a fast path, which takes no such argument
        return parsed(default, name) if default and not many else MISSING
    if not call:
        return MISSING
    row, args, kwargs = call
    try:
        bound = inspect.signature(row.body).bind_partial(*args, **kwargs)
    except (TypeError, ValueError):
        return MISSING
    bound.apply_defaults()
    if name not in bound.arguments:
        return parsed(default, name) if default and not many and len(args) + len(kwargs) < 2 else MISSING
    value = bound.arguments[name]
    if value is Ellipsis:  # a tensor
        return MISSING
    if many:
        value = (value,) if isinstance(value, int) else value
        if value and isinstance(value[0], tuple | list):  # axes given as one list where a body takes them one by one
            value = value[0]
        return None if value is None else tuple([v % 2**64 for v in value])
    return value % 2**64 if name == "dim" and isinstance(value, int) else value


def parsed(text, name):
    """A default of the table."""
    if text in ("None", "True", "False"):
        return {"None": None, "True": True, "False": False}[text]
    try:
        value = float(text) if "." in text else int(text)
    except ValueError:
        return text
    return value % 2**64 if name == "dim" else value


def of_view(node, name):
    """A parameter of a view, from what its rule saved."""
    rule = node.rule
    values = dict(zip(rule.names, (node.saved,) if len(rule.names) == 1 else node.saved))
    if "axes" in values:
        axes = values["axes"]
        if name == "dims":
            return tuple(axes)
        moved = [i for i, n in enumerate(axes) if i != n] or [0, 0]
        return moved[int(name[-1])] if len(moved) == 2 else MISSING
    if "index" not in values:
        return MISSING
    index = values["index"] if type(values["index"]) is tuple else (values["index"],)
    steps = [(i, x) for i, x in enumerate(index) if x is not Ellipsis and x != slice(None)]
    whole = [(i, x) for i, x in enumerate(index) if x == slice(None)]
    if len(steps) != 1:
        return MISSING if steps or len(whole) != 1 or name == "index" else ranged(whole[0], name, values)
    dim, x = steps[0]
    if isinstance(x, slice):
        return ranged(steps[0], name, values)
    return dim if name == "dim" else x if name == "index" else MISSING


def ranged(step, name, values):
    """A parameter of a slice."""
    dim, x = step
    n = values["x_aval"].shape[dim]
    start, stop, by = x.indices(n)
    return {"dim": dim, "start": start, "end": 2**63 - 1 if x.stop is None else stop, "step": by}.get(name, MISSING)


def table():
    """The rows as `{node name: {attribute: word}}`."""
    out = {}
    for line in ROWS.strip().splitlines():
        stems, _, words = line.partition(":")
        for stem in stems.split():
            stem, _, prims = stem.partition("[")
            prims = tuple(prims.rstrip("]").split(","))
            out[f"{stem[:-1]}Backward{stem[-1]}"] = {w.name: (prims, *w) for w in map(word, words.split())}
    return out


class Word(tuple):
    """`(name, kind, text)` of an attribute."""

    __slots__ = ()
    name = property(lambda self: self[0])


def word(text):
    """One word of a row."""
    for mark in "=!^@":
        name, found_mark, rest = text.partition(mark)
        if found_mark:
            if name.endswith("_sym_sizes"):
                return Word((name, "sizes", rest))
            return Word((name, mark, rest))
    if text.endswith("_sym_sizes"):
        return Word((text, "sizes", ""))
    return Word((text, "numel", "")) if text.endswith("_sym_numel") else Word((text, "=", "-1"))


TABLE = table() | {"torch::autograd::CopyBackwards": {}}
