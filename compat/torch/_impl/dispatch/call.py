"""One path for every operation: lower the tensors, compute with covector, lift the output, name its node.

An operation is written once, on core values, where covector's own functions apply. `operation` makes of it the function
`torch.<name>`, the method, the in-place method and `out=`.
"""

import functools

import numpy as np

from ..... import extend
from ..inplace.inplace import inplace
from ..inplace.lower_errors import raised
from ..modes.errstate import restore_fp_warnings, suppress_fp_warnings
from ..modes.inference import check_saved
from ..modes.modes import MODES
from ..state.recorder import aten
from ..state.state import (
    accumulator,
    edge,
    inside,
    lift,
    lower,
    more,
    needs_grad,
)
from ..types import dtypes
from ..types.bfloat16 import in_single, wants_single
from ..types.tensor_type import GENERAL, Tensor, TensorBase
from ..views.views import shape_dtype
from .call_cache import DECLINED, Program, compile_call, lookup
from .out_argument import PLAIN, Target, write_out
from .output_aliasing import renewed, unshared
from .overriding import handed_on, overridden
from .signatures import check

ndarray = np.ndarray
ROWS = {}  # torch name -> Row


class Row:
    """One operation of the surface: its name, its function on core values, and where it appears.

    The other arguments are facts of the operation, as :func:`operation` names them.
    """

    __slots__ = ("asked", "blind", "body", "exact", "fun", "layout", "name", "node", "programs", "seen", "target")

    def __init__(self, name, body=None, node=None, checked=True, layout=None, exact=False, asked=True, target=PLAIN,
                 blind=False):
        self.name = name
        self.body = body
        self.node = node
        self.layout = layout
        self.exact = exact
        self.asked = asked
        self.target = target
        self.blind = blind
        self.fun = None
        self.programs = {}  # what call_cache.py knows of its calls
        self.seen = {} if checked else None  # types of arguments -> the signature that they fit


def owned(row):
    """Whether the public function of a row takes the operation's arguments, and hands them to `invoke` as they are.

    A function that wraps one of those, or has another row or none, may have made others of them.
    """
    return getattr(row.fun, "row", None) is row and not hasattr(getattr(row.fun, "__wrapped__", None), "row")


def lowered(x):
    """An argument as core values: tensors, and lists or tuples of them."""
    if isinstance(x, TensorBase):
        return lower(x)
    if type(x) in (list, tuple) and any(isinstance(v, TensorBase) for v in x):
        return type(x)([lowered(v) for v in x])
    if isinstance(x, dtypes.dtype):
        return x.numpy
    return x


def tensors_in(args, kwargs):
    """The tensors among arguments, in order."""
    found = []
    for x in (*args, *kwargs.values()) if kwargs else args:
        if isinstance(x, TensorBase):
            found.append(x)
        elif type(x) in (list, tuple):
            found += [v for v in x if isinstance(v, TensorBase)]
    return found


def lifted(v, node_name, tensors, call=None):
    """The tensor(s) of an output; the node gets torch's name, the operands' edges and the other arguments."""
    if isinstance(v, tuple):
        out = [lifted(x, node_name, tensors, call) for x in v]
        return type(v)(*out) if hasattr(v, "_fields") else tuple(out)
    if v is None:
        return None
    t = lift(unshared(v, tensors))
    u = t
    while True:  # name the node at every level
        node = u.node
        if node is not None and node_name is not None:
            dress_node(node, node_name, tensors, call)
        if not isinstance(u.value, TensorBase):
            return t
        u = u.value


def dress_node(node, name, tensors, call=None):
    """Name a node as torch does, and show the operands of the whole operation as its edges."""
    if any(node is t.node for t in tensors):
        return  # the output is an operand itself
    target = node
    if node.rule is not None and node.rule.prim is None and isinstance(node.parents, extend.AmbientNode):
        target = node.parents  # a picked output: its node is the one that users see
    if target.rule is None:
        return  # the output is an operand itself
    if target.name() == name and single(target):
        if call is not None and (target.extra is not None or len(call[1]) + len(call[2]) > len(tensors)):
            target.more().call = noted(*call)
        return
    extra = target.more()
    extra.name = name
    if call is not None:
        extra.call = noted(*call)
    if extra.edges is None:
        extra.edges = tuple([edge(t) if needs_grad(t) else None for t in tensors])


_PLAIN = frozenset({bool, int, float, str, type(None)})


def noted(row, args, kwargs):
    """A call as a node keeps it: without tensors."""
    return (row, tuple([x if type(x) in _PLAIN else bare(x) for x in args]),
            {k: bare(x) for k, x in kwargs.items()} if kwargs else {})


def bare(x):
    """An argument, an Ellipsis for tensors, which a node must not keep."""
    return ... if isinstance(x, TensorBase) or type(x) in (list, tuple) and tensors_in(x, None) else x


def single(node):
    """Whether the operands of a node are the operands of the operation."""
    return node.rule.prim is not None and node.rule.prim.family == "elementwise"


def operation(name=None, *, node=None, method=True, inplace_form=False, out=True, register=True,
              method_name=None, checked=True, **facts):
    """Make the surface of an operation from its body, a function of core values.

    Args:
        name: torch's name; by default the function's own.
        node: the name of its node; by default from the name. None keeps the last primitive's.
        method, inplace_form: whether there is `Tensor.name`, and `Tensor.name_`.
        out: whether there is `out=`, or a `Target`: what is special about it.
        checked: whether the arguments are torch's, to be compared with its signatures.
        facts: `layout`, that of the output in memory (`layouts.py`) where torch's is not that of the function;
            `exact`, whether it only moves elements, so that bfloat16 needs no wider dtype; `asked`, False where torch
            does not look whether the operand is a tensor; `blind`, whether the body looks at no element of integers
            and booleans but by `hosted.insist`.
    """
    if isinstance(out, Target):
        facts["target"] = out

    def make(body):
        row = Row(name or body.__name__, body, node or camel(name or body.__name__),
                  checked and register, **facts)

        @functools.wraps(body)
        def fun(*args, **kwargs):
            return invoke(row, fun, args, kwargs, bool(out))

        fun.__name__ = fun.__qualname__ = row.name.rpartition(".")[2]
        fun.row = row
        row.fun = fun
        if register:
            ROWS[row.name] = row
        if method:
            attach(method_name or row.name, fun)
        if inplace_form:
            attach((method_name or row.name) + "_", inplace_method(row))
        return fun

    return make


moving = functools.partial(operation, exact=True)  # an operation that only moves elements


def invoke(row, fun, args, kwargs, out=True):
    """Run one operation, in a span where a profile runs."""
    m = MODES.get()
    if m is None or m.still:
        program, tensors = lookup(row, args, kwargs, m is None)
        if type(program) is Program:
            answer = program.run(tensors)
            if answer is not DECLINED:
                return answer
        answer = compute(row, fun, args, kwargs, out)
        if type(program) is not tuple:
            return answer
        return compile_call(row, program, args, kwargs, tensors, m is None, answer)
    if m.selector is not None:
        given = dict(kwargs) if kwargs else {}
        return m.selector.run(row, lambda: invoke(row, fun, args, kwargs, out), args, given,
                              tensors_in(args, kwargs))
    if m.recorder is None:
        return compute(row, fun, args, kwargs, out)
    return m.recorder.run(aten(row.name), compute, (row, fun, args, kwargs, out), kwargs, args)


def compute(row, fun, args, kwargs, out=True):
    """Lower, compute, lift, name."""
    override = overridden(args, kwargs)
    if override is not None:
        return override(row.fun if owned(row) else fun, *handed_on(row.name, fun, args, kwargs))
    args, kwargs, way = check(row, args, kwargs)
    target = kwargs.pop("out", None) if out and kwargs else None
    tensors = tensors_in(args, kwargs)
    if not tensors and args and type(args[0]) in (_NO_TENSORS if len(args) == 1 else _NO_NUMBERS) and (
            row.asked):
        raise TypeError(f"{row.name.rpartition('.')[2]}(): argument 'input' (position 1) must be Tensor, not "
                        f"{type(args[0]).__name__}")
    # The last leaf first: they are then reached in order. Held until used, since leaves hold theirs weakly.
    held = [accumulator(t) for t in reversed(tensors) if t.wants_grad and t.node is None]
    given = [lowered(x) for x in args]
    named = {k: lowered(x) for k, x in kwargs.items()} if kwargs else {}
    if target is not None and row.target.dtype and named.get("dtype") is None:
        named["dtype"] = shape_dtype(target)[1]
    token = suppress_fp_warnings()
    try:
        halves = any(t.dispatch_key == GENERAL and t.dtype is dtypes.bfloat16 for t in tensors)
        if halves and wants_single(row, given, named):
            v = in_single(row.body, given, named)
        else:
            v = renewed(row.body(*given, **named), given)
    except (ValueError, TypeError, ArithmeticError) as error:
        raised(row.name, error)
    finally:
        restore_fp_warnings(token)
    del held
    if NANS and (m := MODES.get()) is not None and m.nans:
        NANS[0](row.body, row.name, given, named, v)
    if row.layout is not None:
        v = row.layout(v, tensors, args, kwargs)
    if target is not None:
        return write_out(row.name, target, v, tensors, row.target, way is not None and way.exact)
    out = lifted(v, row.node if type(row.node) is not dict else variant(row.node, given, named), tensors,
                 (row, args, kwargs))
    m = MODES.get()
    if m is not None and (m.level is not None or m.foreign is not None):
        out = inside(out, m)
    if m is not None and m.inference:
        marked(out)
    elif any(t.autograd_meta is not None and t.autograd_meta.inference for t in tensors):
        for t in out if isinstance(out, tuple) else (out,):
            if isinstance(t, TensorBase) and t.level_trace is None:
                check_saved(t.node, tensors)
    return out


_NO_NUMBERS = frozenset({str, type(None)})
_NO_TENSORS = _NO_NUMBERS | {bool, int, float, complex}
NANS = []  # filled by nans.py: a look at the output under debug_nans


def marked(out):
    """Note that tensors were made in inference mode."""
    for t in out if isinstance(out, tuple) else (out,):
        if isinstance(t, TensorBase):
            more(t).inference = True
            t.dispatch_key = GENERAL


def variant(names, given, named):
    """torch's name of the node where it depends on the form of the call: the first test that holds decides."""
    for test, name in names.items():
        if test(given, named):
            return name
    return None


def with_dim(given, named):
    """Whether an axis was named."""
    return len(given) > 1 and given[1] is not None or named.get("dim") is not None


def with_tensor(given, named):
    """Whether the second argument is a tensor."""
    return len(given) > 1 and hasattr(given[1], "dtype") and hasattr(given[0], "dtype")


def otherwise(given, named):
    """Any other form."""
    return True


def inplace_method(row):
    """`Tensor.name_`."""

    def method(self, *args, **kwargs):
        override = overridden((self, *args), kwargs)
        if override is not None:
            return override(method, (self, *args), kwargs)
        (self, *args), kwargs, _ = check(row, (self, *args), kwargs)
        names = tuple(kwargs)
        count = len(args)

        def fn(x, *others):
            given = (x, *[lowered(v) for v in others[:count]])
            named = {k: lowered(v) for k, v in zip(names, others[count:])}
            if dtypes.bfloat16 is not None and x.dtype == dtypes.bfloat16.numpy and wants_single(row, given, named):
                return in_single(row.body, given, named)
            return row.body(*given, **named)

        node = row.node if type(row.node) is not dict else variant(row.node, (self, *args), kwargs)
        return inplace(self, row.name.rpartition(".")[2] + "_", fn, (*args, *kwargs.values()), node_name=node)

    method.__name__ = method.__qualname__ = row.name.rpartition(".")[2] + "_"
    method.__doc__ = f"In-place form of :func:`{row.name}`."
    method.row = row
    return method


def attach(name, fun):
    """Make a function a method of Tensor."""
    setattr(Tensor, name.rpartition(".")[2], fun)


def camel(name):
    """`LogSoftmaxBackward0` for `log_softmax`."""
    return "".join(part[:1].upper() + part[1:] for part in name.rpartition(".")[2].split("_")) + "Backward0"


def promote(*values, floats=False):
    """Values cast to torch's common dtype; Python numbers stay as they are where their kind does not raise it.

    Args:
        floats: integers become the default floating dtype, as for division and `sin`.
    """
    first = None
    easy = True
    for v in values:
        d = getattr(v, "dtype", None)
        if d is None:
            easy = easy and (type(v) is int or type(v) is float and (first is None or first.kind in "fcV"))
        elif first is None:
            first = d
        else:
            easy = easy and d is first
    if easy and first is not None and (first.kind in "fcV" or not floats and first.kind in "iu" and all(
            hasattr(v, "dtype") or type(v) is int for v in values)):
        if first.kind in "iu" and any(type(v) is int and not 0 <= v < 128 for v in values):
            return tuple([wrapped(v, first) if type(v) is int else v for v in values])
        return values if first.kind != "V" else tuple([to(v, first) for v in values])
    dimmed, zero, numbers = [], [], []
    for v in values:
        d = getattr(v, "dtype", None)
        if d is None:
            numbers.append(v)
        else:
            (dimmed if v.ndim else zero).append(dtypes.OF_NUMPY[np.dtype(d)])
    common = dtypes.promoted(dimmed, zero, numbers)
    if floats and common.category < 2:
        common = dtypes.Default.float
    return tuple([to(v, common.numpy) for v in values])


def wrapped(v, dtype):
    """A Python integer beside tensors of an integer dtype, cut to its bits as torch does."""
    if not -(2**63) <= v < 2**64:
        raise OverflowError("int too big to convert")
    bits = 8 * dtype.itemsize
    v %= 2**bits
    return v - 2**bits if dtype.kind == "i" and v >= 2 ** (bits - 1) else v


def to(v, dtype):
    """A core value in another dtype; a Python number becomes a 0-d array."""
    if not hasattr(v, "dtype"):
        return np.asarray(v, dtype)
    return v if v.dtype == dtype else v.astype(dtype)


def floating(v):
    """A value of integers as the default floating dtype."""
    if not hasattr(v, "dtype"):
        return v
    return v if v.dtype.kind in "fcV" else v.astype(dtypes.Default.float.numpy)
