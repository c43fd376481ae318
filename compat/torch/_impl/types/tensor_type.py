"""The class Tensor: its slots and its record. Attributes, methods and operations attach themselves to it."""

import numpy as np

from .arrays import ARRAYS
from .blank import blank
from .record_slots import Record
from .size import OtherLayout
from .tensor_slots import TensorSlots

ndarray = np.ndarray
_PLAIN = (np.dtype(np.float64), np.dtype(np.float32))
FAST, VIEW, GENERAL, INFERENCE = range(4)


class TensorBase(TensorSlots):
    """A tensor as far as its fields go.

    `value` is an array at the ambient level (`level_trace` None), the tensor one level down at a level of `func`, or a
    traced value of covector's own transforms (`level_trace` FOREIGN). `dispatch_key` says which
    paths a tensor may take: FAST, ambient, float32 or float64, its history `node` and nothing else; VIEW, the same but
    a view; INFERENCE, the same but made in inference mode, without a history; GENERAL, everything else.
    """

    other_layout = False  # whether operations are asked of the class whatever mode is in force

    __slots__ = ("__dict__",)


class Tensor(TensorBase):
    """An array with torch's methods, gradients and history.

    Made by `torch.tensor`, the factories, and operations; `Tensor(2, 3)` gives an uninitialized one, `Tensor([…])` one
    of the default dtype.

    >>> import covector.compat.torch as torch
    >>> x = torch.tensor([1.0, 2.0], requires_grad=True)
    >>> (x * x).sum().backward()
    >>> x.grad
    tensor([2., 4.])
    """

    __slots__ = ()
    __array_priority__ = 1000
    __hash__ = object.__hash__

    def __init__(self, *args, **kwargs):
        pass


class Inferred(Record):
    """Shared fields of tensors made in inference mode, until one of them has more than that."""

    def __init__(self):
        super().__setattr__("inference", True)

    def __setattr__(self, name, value):
        if getattr(self, name) is not value:
            raise AttributeError(f"{name} would be set for every inference tensor: more(t) gives one its own record")


INFERRED = Inferred()


def more(t):
    """The `Record` of a tensor, made when first asked for."""
    if t.autograd_meta is None:
        t.autograd_meta = Record()
    elif t.autograd_meta is INFERRED:
        t.autograd_meta = Record()
        t.autograd_meta.inference = True
    return t.autograd_meta


def infer(t):
    """Note that an ambient tensor was made in inference mode."""
    if t.dispatch_key == FAST and t.autograd_meta is None:
        t.autograd_meta, t.dispatch_key = INFERRED, INFERENCE
    else:
        more(t).inference = True
        t.dispatch_key = GENERAL


class Foreign:
    """The level of tensors over values of covector's own transforms, which have no memory: writes replace the value."""

    level = 0
    done = False

    def __repr__(self):
        return "FOREIGN"


FOREIGN = Foreign()


def wrap(array, kind=None):
    """An ambient tensor over an array, without history."""
    if type(array) is not ndarray:
        if isinstance(array, OtherLayout):
            return array.tensor()
        if type(array) in ARRAYS:
            return at_level(None, array, kind or Tensor)
        array = np.asarray(array)
    t = new(kind or Tensor)
    t.value = array
    t.node = t.autograd_meta = t.level_trace = None
    t.wants_grad = False
    t.dispatch_key = FAST if array.dtype in _PLAIN else GENERAL
    return t


new = blank  # a tensor without its constructor


def at_level(trace, value, kind=Tensor):
    """A tensor of a level over the value below it; of none over an array of a device."""
    t = new(kind)
    t.value = value
    t.node = t.autograd_meta = None
    t.level_trace = trace
    t.wants_grad = False
    t.dispatch_key = GENERAL
    return t


def needs_grad(t):
    """torch's `requires_grad`: a leaf that asks for it, a history, or a view of something that has one."""
    if t.wants_grad or t.node is not None:
        return True
    meta = t.autograd_meta
    return meta is not None and meta.base is not None and needs_grad(meta.base)



def completes(methods):
    """Give Tensor the attributes and methods that the body of a class holds."""
    for name, value in vars(methods).items():
        if name not in _OF_EVERY_CLASS:
            for fun in (value, *[getattr(value, part, None) for part in ("fget", "fset", "fdel")]):
                if hasattr(fun, "__qualname__"):
                    fun.__qualname__ = f"Tensor.{name}"
            setattr(Tensor, name, value)
    return methods


_OF_EVERY_CLASS = frozenset(vars(type("Empty", (), {}))) | {"__qualname__"}


# The value below a tensor, through all its levels: shape and dtype, memory, a traced value.


def shape_dtype(t):
    """`(shape, NumPy dtype)`; a batch level takes one axis away."""
    value = t.value
    hidden = 0
    while not isinstance(value, ndarray):
        trace = t.level_trace
        if trace is FOREIGN:
            value = current(t)
            return tuple(value.shape)[hidden:], value.dtype
        if trace is None:  # of another layout
            break
        if trace.kind == "vmap":
            hidden += 1
        t = value
        value = t.value
    return value.shape[hidden:], value.dtype


def hollow(shape, dtype):
    """An array of that shape in the memory of one element, as `np.broadcast_to` makes it in five times the time."""
    return np.ndarray(shape, dtype, np.empty((), dtype), 0, (0,) * len(shape))


def bottom(t):
    """The array or FOREIGN tensor below all levels of `t`."""
    while isinstance(t.value, TensorBase):
        t = t.value
    return t if t.level_trace is FOREIGN else t.value


def bottom_dtype(t):
    """The NumPy dtype of a tensor."""
    while isinstance(t.value, TensorBase):
        t = t.value
    return t.value.dtype


def current(t):
    """The traced value of a FOREIGN tensor; a view whose base was written to since takes its steps again."""
    meta = t.autograd_meta
    if meta is not None and meta.base is not None:
        base = meta.base
        if cell_of(base) != meta.cell:
            value = current(base)
            for prim, params in meta.steps:
                value = prim.fun(value, *params)
            t.value = value
            meta.cell = cell_of(base)
    return t.value


def cell_of(t):
    """The version of a tensor without memory."""
    return 0 if t.autograd_meta is None else t.autograd_meta.cell or 0
