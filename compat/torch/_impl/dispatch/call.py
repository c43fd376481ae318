"""One path for every operation: lower the tensors, compute with covector, lift the output, name its node.

An operation is written once, on core values, where covector's own functions apply. `operation` makes of it the function
`torch.<name>`, the method, the in-place method and `out=`.
"""

import functools
import inspect

import numpy as np

from ..inplace.fast import fits, opened, rewritten_as, wrote
from ..inplace.inplace import inplace, written_as
from ..inplace.lower_errors import raised
from ..modes.inference import check_saved
from ..modes.modes import MODES
from ..modes.warnings import error_state, restore_fp_warnings, suppress_fp_warnings
from ..state.edges import accumulator
from ..state.meta import check_devices
from ..state.python_data import check_numbers
from ..state.recorder import aten
from ..types import dtypes
from ..types.bfloat16 import in_single, wants_single
from ..types.number_cache import FLOATS
from ..types.tensor_type import VIEW, Tensor, TensorBase, infer, shape_dtype
from ..values.core_values import inside
from ..views.fast import viewing
from . import autocasting
from .builtins import known_as
from .call_source import renewed
from .deprecated_overloads import PRODUCTS, method_of
from .docstrings import DOCSTRINGS
from .lowering import lifted, lowered as lowered_here, lowered_there, tensors_in
from .out_argument import PLAIN, Target, write_out
from .overriding import dispatching, handed_on, overridden
from .quick import quick
from .refused import refusals
from .signatures import BY_SIGNATURE, check, in_place_words, same_node, signed, title, written_title
from .staged_calls import Missed

# Making functions public: those that are no `operation`, names of nn.functional, and second names.


def method(name=None, aliases=(), attached=True, asks=False, function=None, doc=None, plans=None, alike=False):
    """Make a function of tensors public: `torch.name`, of other arguments if it is `function`, and `Tensor.name`, which
    `asks` classes of other tensors. That of a view has `plans` (`views/fast.viewing`), by the shape of another tensor
    if it is `alike`; where they take sizes one by one, the function takes them in a tuple."""

    def make(fun):
        row = Row(name or fun.__name__, fun, None, asks=False)
        if asks:
            fun = row.body = dispatching(fun)
        row.fun = named(function or fun, row, doc)
        if plans is not None:
            apart = plans.__code__.co_flags & inspect.CO_VARARGS
            row.fun = viewing((lambda shape, sizes: plans(shape, *sizes)) if apart else plans, row.fun, alike)
            fun = viewing(plans, fun if asks else signed(row.name, loose=True)(fun), alike)
        ROWS[row.name] = row
        if attached:
            attach(row.name, named(fun, row, doc))
        for alias in aliases:
            ROWS[alias] = row
            attach(alias, fun)
        return fun

    return make


def functional(name, body=None, node=BY_SIGNATURE, **facts):
    """`torch.nn.functional.name` of a function of core values; `facts` are those of `operation`."""
    make = operation(f"nn.functional.{name}", method=False, node=node, **facts)
    return make if body is None else make(body)


def synonyms(table):
    """Other names of operations, as functions, methods and in place."""
    for alias, name in table.items():
        row = ROWS[alias] = ROWS[name]
        attach(alias, row.fun)
        writes = getattr(Tensor, name + "_", None)  # its own, if it writes another body than the row's
        attach(alias + "_", writes if getattr(writes, "row", row) is not row else inplace_method(row))


# Writes in place of sums with products, as averages of weights are kept: where nothing is recorded, NumPy alone.


def _add(x, y, alpha):
    np.add(x, np.multiply(y, alpha), x)


def _sub(x, y, alpha):
    np.subtract(x, np.multiply(y, alpha), x)


def _lerp(x, end, weight):
    step = np.subtract(end, x)
    np.multiply(step, weight, step)
    np.add(x, step, x)


def _addcmul(x, y, z, value=1):
    part = np.multiply(y, z)
    np.add(x, part if value == 1 else np.multiply(part, value), x)


def _addcdiv(x, y, z, value=1):
    part = np.divide(y, z)
    np.add(x, part if value == 1 else np.multiply(part, value), x)


KERNELS = {"add": _add, "sub": _sub, "lerp": _lerp, "addcmul": _addcmul, "addcdiv": _addcdiv}  # one write, the last


ndarray = np.ndarray
ROWS = {}  # torch name -> Row


class Row:
    """One operation of the surface: its name, its function on core values, and where it appears.

    The other arguments are facts of the operation, as :func:`operation` names them.
    """

    __slots__ = ("asked", "asks", "at_level", "at_map", "blind", "body", "exact", "fun", "layout", "name", "node",
                 "programs", "refused", "seen", "target", "ties")
    loose = False  # of sizes one by one its methods make a tuple

    def __init__(self, name, body=None, node=None, checked=True, layout=None, exact=False, asked=True, target=PLAIN,
                 blind=False, asks=True, ties=False):
        self.name = name
        self.body = body
        self.node = node
        self.layout = layout
        self.exact = exact
        self.asked = asked
        self.target = target
        self.blind = blind
        self.ties = ties
        self.refused = refusals(name)  # dtypes
        self.fun = None
        self.asks = asks  # whether it is `invoke` that asks classes for their `__torch_function__`
        self.at_map = None  # `at_map(args, modes)` of map_lanes.py, the same at a vmap
        self.at_level = None  # `at_level(args, trace)` of level_lanes.py, where one primitive is all of the operation
        self.programs = {}  # what lowering.py knows of its calls
        self.seen = {} if checked else None  # types of arguments -> the signature that they fit


def operation(name=None, *, node=BY_SIGNATURE, method=True, inplace_form=False, out=True, register=True,
              lane=None, front=None, doc=None, **facts):
    """Make the surface of an operation from its body, a function of core values.

    Args:
        name: torch's name; by default the function's own.
        node: the name of its node, or names by tests of a call; by default that of the signature. None keeps that of
            the last primitive.
        method: whether there is `Tensor.name`, or what makes it of the function.
        inplace_form: whether there is `Tensor.name_`, or what makes it of the row.
        out: whether there is `out=`, or a `Target`: what is special about it.
        register: whether torch has it; else it is part of a function of tensors.
        lane: what makes of the row its function of the same arguments, where that is not `invoke` alone.
        front: the function of tensors that users call, where the arguments of the body are not torch's: it calls what
            this gives. Only functions of torch's arguments look at them and ask classes for `__torch_function__`.
        doc: what it computes, where neither the body has a docstring nor `docstrings.py` one for it.
        facts: `layout`, that of the output in memory (`layouts.py`) where torch's is not that of the function;
            `exact`, whether it only moves elements, so that bfloat16 needs no wider dtype; `asked`, False where torch
            does not look whether the operand is a tensor; `blind`, whether the body looks at no element of integers
            and booleans but by `host_ops.insist`; `ties`, whether its gradient depends on the operand, with a
            derivative of 0 (`engine/recorded_rules.py`).
    """
    target = out if isinstance(out, Target) else PLAIN if out else None

    def make(body):
        own = register and front is None
        row = Row(name or body.__name__, body, node, own, target=target, asks=own, **facts)
        fun = named((lane or general)(row), row, doc)
        fun.row = row
        row.fun = front or fun
        row.fun.__doc__ = row.fun.__doc__ or fun.__doc__
        if register:
            ROWS[row.name] = row
        if method and register:
            attach(row.name, method(row.fun) if callable(method) else method_of(row.name, row.fun) if (
                row.name in PRODUCTS) else row.fun)
        if inplace_form:
            writes = (inplace_method if inplace_form is True else inplace_form)(row)
            attach(row.name + "_", method_of(row.name, writes) if row.name in PRODUCTS else writes)
        return fun

    return make


def named(fun, row, doc=None):
    """A function under the name of its row, with a docstring."""
    fun.__name__ = fun.__qualname__ = row.name.rpartition(".")[2]
    fun.__doc__ = row.body.__doc__ or DOCSTRINGS.get(row.name) or f"{doc}."
    if fun is not row.body:
        fun.__wrapped__ = row.body
    return fun


def general(row):
    """The function of an operation that has no other road."""

    def fun(*args, **kwargs):
        return invoke(row, fun, args, kwargs)

    return fun


moving = functools.partial(operation, exact=True)  # an operation that only moves elements


def invoke(row, fun, args, kwargs):
    """Run one operation: by its fast road, or the general one."""
    m = MODES.get()
    answer = quick(row, args, kwargs, m)
    return answer.after(slowly(row, fun, args, kwargs, m)) if type(answer) is Missed else answer


def slowly(row, fun, args, kwargs, m):
    """The general road: in a span where a profile runs, and as a selective checkpoint says."""
    if m is None or m.selector is None and m.recorder is None:
        return compute(row, fun, args, kwargs)
    if m.selector is not None:
        return m.selector.run(row, lambda: invoke(row, fun, args, kwargs), args, dict(kwargs) if kwargs else {},
                              tensors_in(args, kwargs))
    return m.recorder.run(aten(row.name), compute, (row, fun, args, kwargs), kwargs, args)


def compute(row, fun, args, kwargs):
    """Lower, compute, lift, name."""
    override = overridden(args, kwargs) if row.asks else None
    if override is not None:
        return override(known_as(row.fun), *handed_on(override, row.name, row.fun, args, kwargs))
    m = MODES.get()
    if m is not None and m.autocast is not None and "cpu" in m.autocast.on:
        return autocasting.run(row, args, kwargs, m, lambda args, kwargs: compute(row, fun, args, kwargs))
    args, kwargs, way = check(row, args, kwargs)
    target = kwargs.pop("out", None) if kwargs and row.target is not None else None
    tensors = tensors_in(args, kwargs)
    if not tensors and args and type(args[0]) in (_NO_TENSORS if len(args) == 1 else _NO_NUMBERS) and (
            row.asked):
        raise TypeError(f"{row.name.rpartition('.')[2]}(): argument 'input' (position 1) must be Tensor, not "
                        f"{type(args[0]).__name__}")
    if tensors and row.refused is not None:
        row.refused.check(row.name, args, kwargs, tensors)
    usual = True  # whether all are floats of common widths at the ambient level
    held = []  # leaves hold their nodes weakly; the last one's is made first: they are then reached in order
    for t in reversed(tensors):
        if t.node is None and t.wants_grad:
            held.append(accumulator(t))
        if t.dispatch_key > VIEW:
            usual = False
    lowered = lowered_there if not usual and apart(tensors) else lowered_here
    given = [lowered(x) for x in args]
    named = {k: lowered(x) for k, x in kwargs.items()} if kwargs else {}
    if target is not None and row.target.dtype and named.get("dtype") is None:
        named["dtype"] = shape_dtype(target)[1]
    token = error_state()
    try:
        suppress_fp_warnings()
        if not usual and any(t.dtype is dtypes.bfloat16 for t in tensors) and wants_single(row, given, named):
            v = in_single(row.body, given, named)
        else:
            v = renewed(row.body(*given, **named), given)
        if way is not None:
            check_numbers(row.name, v, way.kinds, (*given, *named.values()) if named else given)
    except (ValueError, TypeError, ArithmeticError) as error:
        raised(row.name, error)
    finally:
        restore_fp_warnings(token)
    del held
    if m is not None and m.nans is not None:
        m.nans.operation(row.body, row.name, given, named, v)
    if row.layout is not None:
        v = row.layout(v, tensors, args, kwargs)
    if target is not None:
        return write_out(row.name, target, v, tensors, row.target, way)
    out = lifted(v, title(row, way, given, named), tensors, (row, args, kwargs))
    if m is not None and (m.level is not None or m.foreign is not None):
        out = inside(out, m)
    if m is not None and m.inference:
        marked(out)
    elif not usual and any(t.autograd_meta is not None and t.autograd_meta.inference for t in tensors):
        for t in out if isinstance(out, tuple) else (out,):
            if isinstance(t, TensorBase) and t.level_trace is None:
                check_saved(t.node, tensors)
    return out


def apart(tensors):
    """Tell whether some tensors lie on the CPU, numbers all, and some on a GPU; other mixtures are refused."""
    return len(tensors) > 1 and not all(type(t.value) is ndarray for t in tensors) and check_devices(tensors)


_NO_NUMBERS = frozenset({str, type(None)})
_NO_TENSORS = _NO_NUMBERS | {bool, int, float, complex}


def marked(out):
    """Note that tensors were made in inference mode."""
    for t in out if isinstance(out, tuple) else (out,):
        if isinstance(t, TensorBase):
            infer(t)


def otherwise(given, named):
    """Any other form."""
    return True


def inplace_method(row):
    """`Tensor.name_`."""
    quick = row.name in KERNELS

    def run(*args, **kwargs):
        return invoke(row, run, args, kwargs)

    fun = row.fun if row.asks and row.fun is not None else run
    named_alike = None  # whether a node of it has the name that this gives; asked when it is first called

    def method(self, *args, **kwargs):
        nonlocal named_alike
        if quick and written(row.name, self, args, kwargs):
            return self
        if named_alike is None:
            named_alike = same_node(row.name)
        if rewritten_as(fun, self, args, kwargs, named_alike):
            return self
        override = overridden((self, *args), kwargs)
        if override is not None:
            return override(method, (self, *args), kwargs)
        if written_as(run, self, args, kwargs, tensors_in(args, kwargs)):
            return self
        try:
            (self, *args), kwargs, way = check(row, (self, *args), kwargs)
        except TypeError as error:
            raise TypeError(in_place_words(str(error), row.name)) from None
        names = tuple(kwargs)
        count = len(args)

        def fn(x, *others):
            if row.refused is not None:
                row.refused.check(row.name, (self, *args), kwargs, tensors_in((self, *args), kwargs))
            given = (x, *[lowered_here(v) for v in others[:count]])
            named = {k: lowered_here(v) for k, v in zip(names, others[count:])}
            if dtypes.OF_NUMPY.get(x.dtype) is dtypes.bfloat16 and wants_single(row, given, named):
                v = in_single(row.body, given, named)
            else:
                v = row.body(*given, **named)
            if way is not None:
                check_numbers(row.name, v, way.kinds, (*given, *named.values()))
            return v

        return inplace(self, row.name.rpartition(".")[2] + "_", fn, (*args, *kwargs.values()),
                       node_name=written_title(row, way, (self, *args), kwargs))

    method.__name__ = method.__qualname__ = row.name.rpartition(".")[2] + "_"
    method.__doc__ = f"In-place form of :func:`{row.name}`."
    method.row = row
    return method


def written(name, t, args, numbers):
    """Tell whether `t` is now what an operation gives, written into its memory; False for what this does not take.

    Args:
        args: tensors of the dtype of `t`, and numbers.
        numbers: arguments by name, numbers alone.
    """
    to = opened(t, (*args, *numbers.values()))
    if to is None or to.recorded or to.x.dtype not in FLOATS:
        return False
    x = to.x
    values = [a.value if isinstance(a, TensorBase) else a for a in args]
    for v in (*values, *numbers.values()):
        if v.dtype is not x.dtype if type(v) is ndarray else not fits(v, x.dtype):
            return False
    token = error_state()
    try:
        suppress_fp_warnings()
        KERNELS[name](x, *values, **numbers)
    except (ValueError, TypeError, OverflowError):  # the general road says what does not fit
        return False
    finally:
        restore_fp_warnings(token)
    wrote(to)
    return True


def attach(name, fun):
    """Make a function a method of Tensor."""
    setattr(Tensor, name.rpartition(".")[2], fun)


def promote(*values, floats=False):
    """Values cast to torch's common dtype; Python numbers stay as they are where their kind does not raise it.

    Args:
        floats: integers become the default floating dtype, as for division and `sin`.
    """
    first = None
    for v in values:
        d = getattr(v, "dtype", None)
        if d is None or first is not None and d is not first:
            break
        first = d
    else:
        if first.kind in "fc":
            return values
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
