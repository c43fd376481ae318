"""Tracers, which stand in for arrays while a transform runs, and the traces that own them."""

import operator
import os
from contextvars import ContextVar
from threading import Lock
from typing import TYPE_CHECKING
from weakref import ref

import numpy as np

from ..arrays.avals import aval_of, make_aval
from ..arrays.fp_warnings import enter_reporting, error_state, leave_error_state
from ..errors import ConversionError, EscapedTracerError, at_user_line
from ..foreign import SPARSE, asked_for_array, no_attribute
from ..slots import TracerSlots, TraceSlots
from ..types import Any
from .error_hints import CHOICES, remedy
from .scalars import Scalar, length

ndarray = np.ndarray
_last_level = 0
_STARTING = Lock()  # between a level and its being the last one no other thread may start one
if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_STARTING.acquire, after_in_parent=_STARTING.release, after_in_child=_STARTING.release)


class Sharing(list):
    """The `state` of a tracer and of the views taken of it: weak references to the views.

    The `link` of a view is `(root, link, prim, params)`: the tracer that the first view was taken of, the link of what
    this one was taken of (None: of the root), and how. As in NumPy, a view keeps its root alive.
    """

    limit = 64

    def alive(self):
        """The views that still are."""
        # Twice as many as are alive before the next look: dead references cost amortized O(1) a view.
        found = [view for view in [known() for known in self] if view is not None and view.state is self]
        self[:] = [ref(view) for view in found]
        self.limit = max(64, 2 * len(found))
        return found


def next_level():
    """A level never used before. Levels only increase, so nothing has to be restored after an exception."""
    global _last_level
    # Two threads that start traces at once must not get one level: `bind` takes the highest for the innermost.
    with _STARTING:
        _last_level = level = _last_level + 1
    return level


def last_level():
    """The level of the newest trace started so far; a stamp for buffers."""
    return _last_level


class Trace(TraceSlots):
    """One run of a transform: a level, and `process(prim, args)`, which defines what an operation means to it.

    `masked` becomes True when an operation with structural zeros is recorded (`where`, indexing, …); rules declared
    singular then use strong zeros. Traces are compared by identity.
    """

    __slots__ = ()
    kind = "trace"
    plus: Any = None  # `plus(x, y)`: the sum of cotangents, the first of this trace, or None; None without a short way

    def __init__(self):
        self.level = next_level()
        self.masked = self.done = False

    def process(self, prim, args):
        raise NotImplementedError(f"{type(self).__name__} does not say how to process {prim.name}")

    def is_array(self, traced):
        """Tell whether a value of this trace that has no axes stands for an array, not for a number."""
        return False

    def loop(self, loop, *args):
        """Run a `Loop` of operands of one dtype, as a SciPy kernel that an implementation calls on symbols."""
        raise NotImplementedError(f"{type(self).__name__} does not say how to run a loop of {loop.of}")


class Tracer(TracerSlots):
    """An array as seen by a trace. Subclasses hold what it carries; `numpy_api/methods.py` adds operators and methods.

    All kinds share one slot layout, so that a tracer that is written to can become a `Buffer` in place.
    """

    __slots__ = ()

    __pandas_priority__ = 5000  # pandas' operators defer to it, as DataFrame's 4000 does to nobody else

    owner: Any  # the trace, None for a buffer
    value: Any
    aval: Any
    node: Any
    tangent: Any
    state: Any
    link: Any
    radicand: Any  # `(square, operands)` of a length; core/numpy_api/roots.py
    __array_function__: Any  # attached in api/numpy/surface.py
    beside_sparse: Any  # what an operation with a scipy.sparse matrix gives; core/numpy_api/sparse_operands.py

    if TYPE_CHECKING:

        # Operators and NumPy's methods are attached by `numpy_api/methods.py`.
        def __getattr__(self, name: str) -> Any: ...
        def __truediv__(self, other: Any) -> Any: ...

    @property
    def shape(self):
        return self.aval.shape

    @shape.setter
    def shape(self, shape):
        raise AttributeError(f"shape was set to {shape} on a traced value ({self.aval!r}), which keeps its own; write "
                             f"x = x.reshape({shape}){at_user_line()}")

    @property
    def dtype(self):
        return self.aval.dtype

    @property
    def ndim(self):
        return self.aval.ndim

    @property
    def size(self):
        return self.aval.size

    @property
    def itemsize(self):
        return self.aval.dtype.itemsize

    @property
    def nbytes(self):
        return self.aval.size * self.aval.dtype.itemsize

    def __len__(self):
        return length(self)

    def __bool__(self):
        return bool(concrete(self, "bool"))

    def __index__(self):
        return operator.index(_whole(self, "used as an integer index"))

    def __float__(self):
        return _refuse(self, "converted to a Python float")

    def __int__(self):
        return int(_whole(self, "converted to a Python int"))

    def __trunc__(self):
        return int(_whole(self, "converted to a Python float"))  # by math.trunc, as by math.floor

    def __complex__(self):
        return _refuse(self, "converted to a Python complex")

    def __array__(self, dtype=None, copy=None):
        left, how = asked_for_array(self)
        return _refuse(self, how) if left is None else left

    def __dlpack__(self, **options):
        return _refuse(self, "exported by DLPack")

    def __dlpack_device__(self):
        return _refuse(self, "exported by DLPack")

    def as_integer_ratio(self):
        return _refuse(self, "converted to a ratio of integers")

    def item(self, *args):
        return _whole(self, "converted by .item()").item(*args)

    def tolist(self):
        return _whole(self, "converted by .tolist()").tolist()

    def __hash__(self):
        raise TypeError(  # by its value it would be taken for another of equal value, which has its own derivative
            f"a traced value ({self.aval!r}) was hashed, for a set, a dict or a cache: by identity no other would be "
            "found there, by value the derivative of another; compare by `==` or `in` with a list, use np.where, or "
            f"key it by id(x){at_user_line()}")

    def __reduce__(self):
        raise ConversionError(
            f"a traced value ({self.aval!r}) cannot be pickled or deep-copied; return it from the transformed "
            f"function, or use stop_gradient to get its value{at_user_line()}"
        )

    if not TYPE_CHECKING:

        def __getattr__(self, name):  # of an attribute that is not there, a slot that is empty, a property that raised
            found = getattr(type(self), name, None)
            if type(found) is property:
                return found.fget(self)
            raise no_attribute(self.aval, name) if found is None and name[:2] != "__" else AttributeError(name)

    def __repr__(self):
        return f"Traced[{self.owner.kind}]({self.aval!r}, {self.value!r})"

    def __str__(self):
        return str(unwrap(self)) if is_concrete(self) else repr(self)

    def __format__(self, spec):
        value = unwrap(self) if is_concrete(self) else None
        if value is None or (spec and getattr(value, "ndim", 0)):
            return repr(self)
        return format(value[()] if type(value) is ndarray and not value.ndim else value, spec)


class Rev(Scalar, Tracer):
    """A value of a reverse trace: value, aval and the node that recorded it."""

    __slots__ = ()


class Dual(Scalar, Tracer):
    """A value of a forward trace: value, aval and tangent (same shape and dtype as the value)."""

    __slots__ = ()


_value = Tracer.value  # the slot


class Late(Dual):
    """A Dual whose value, a plain array, is computed when somebody asks for it: by `node`, which is None afterwards."""

    __slots__ = ()

    @property
    def value(self):
        if self.node is not None:
            self.value = self.node()
        return _value.__get__(self)

    @value.setter
    def value(self, value):
        _value.__set__(self, value)
        self.node = None


class Batched(Scalar, Tracer):
    """A value of a vmap trace: `value` has a leading batch axis; `aval` does not."""

    __slots__ = ()


class Staged(Scalar, Tracer):
    """A value of a staging trace: an aval, and `value` if it is known while staging (else None); `node` is its Var."""

    __slots__ = ()

    def __repr__(self):
        known = "" if self.value is None else f", {self.value!r}"
        return f"Traced[{self.owner.kind}]({self.aval!r}{known})"


def make_batched(trace: Trace, value: Any) -> Any:
    """Create a value of a vmap trace.

    Args:
        trace: the `VmapTrace` that owns it.
        value: an array or tracer with a leading batch axis.
    Returns:
        a `Batched` tracer with one axis less.

    >>> import numpy as np
    >>> from covector._interpreters import VmapTrace
    >>> from covector.extend import make_batched
    >>> make_batched(VmapTrace(3), np.ones((3, 2))).shape
    (2,)
    """
    out = trace.tracer()
    out.owner = trace
    out.value = value
    aval = aval_of(value)
    out.aval = make_aval(aval.shape[1:], aval.dtype)
    return out


def share(tracer, view, prim, params):
    """Note that `view`, the output of a view primitive, shares memory with `tracer`."""
    state = getattr(tracer, "state", None)
    if state is None:
        tracer.state = state = Sharing()
        tracer.link = None
    link = tracer.link
    view.link = (tracer if link is None else link[0], link, prim, params)
    view.state = state
    state.append(ref(view))
    if len(state) > state.limit:
        state.alive()


def steps_to(view):
    """`[(prim, params), …]` from the root of a view to it."""
    steps, link = [], view.link
    while link is not None:
        _, link, prim, params = link
        steps.append((prim, params))
    return steps[::-1]


def unwrap(value: Any) -> Any:
    """Return the innermost array of a tracer, whatever wraps it; under vmap it has leading batch axes.

    Args:
        value: a tracer, or any other value, which is returned as it is.
    Returns:
        the array itself, not a copy; None if it is staged.

    >>> import covector
    >>> seen = []
    >>> _ = covector.grad(lambda x: (seen.append(float(covector.extend.unwrap(x))), x * x)[1])(3.0)
    >>> seen
    [3.0]
    """
    while isinstance(value, Tracer):
        value = value.value
    return value


def is_concrete(value):
    """Tell whether every level of `value` is known and none is batched."""
    while isinstance(value, Tracer):
        if isinstance(value, Batched):
            return False
        value = value.value
    return value is not None


def concrete(tracer, what):
    """The concrete value that control flow may inspect; raises under vmap and while staging."""
    value = tracer
    while isinstance(value, Tracer):
        if value.owner is not None and value.owner.done:
            check_alive(value.owner, f"{what}()")
        if isinstance(value, Batched):
            raise ConversionError(
                f"{what}() of a value batched by vmap ({tracer.aval!r} per example) has one value per example; "
                f"{CHOICES.get(what, CHOICES[None])}{at_user_line()}")
        if type(value) is Staged and value.value is None:
            about = getattr(value.owner, "about", None)
            if about is not None:
                raise ConversionError(
                    f"{what}() was asked of a value ({tracer.aval!r}) that depends on {about}, and is not known: the "
                    "rule is transposed, which takes one linear map for all values; make choices by the arguments of "
                    f"the function{at_user_line()}"
                )
            raise ConversionError(
                f"{what}() of a staged value ({tracer.aval!r}) is not known while the graph is staged; "
                f"{CHOICES.get(what, CHOICES[None])}, or mark the argument static{at_user_line()}")
        value = value.value
    return value


def _whole(tracer, how):
    """The value of an integer or boolean that is known, as in a `checkpoint`: to ask for it is a choice like `bool`."""
    return concrete(tracer, how) if tracer.aval.dtype.kind in "biu" and is_concrete(tracer) else _refuse(tracer, how)


def _refuse(tracer, how):
    owner = tracer.owner
    kind = "buffer" if owner is None else owner.kind
    if owner is not None and owner.done:
        check_alive(owner, f"code in which a value was {how}")
    if isinstance(tracer, Batched):
        why, instead = "has one value per example", "or in_axes=None for an unmapped argument"
    elif type(tracer) is Staged and tracer.value is None:
        why, instead = "is not known while the graph is staged", "or mark the argument static"
        if getattr(owner, "about", None) is not None:
            why = f"is not known: it depends on {owner.about}, which is transposed, so this must be linear and traced"
            instead = "give the rule of the other mode, or covector.stop_gradient(x) where no derivative is wanted"
    else:
        why = "would drop its derivative silently"
        instead = "or covector.stop_gradient(x) where no derivative is wanted"
    words, by = (SPARSE, "") if how == "given to scipy.sparse" else remedy(how, tracer.aval.dtype.kind)
    raise ConversionError(f"a traced value ({tracer.aval!r}, {kind}) was {how}{by}, which {why}; {words}, {instead}"
                          f"{at_user_line()}")


# Whether a user's rule is running, which may hold values of a finished transform.
LENIENT = ContextVar("covector_lenient", default=False)


def leniently(rule, *args):
    """Call a user's rule; it may compute with values of a transform that has finished."""
    previous = LENIENT.get()
    try:
        LENIENT.set(True)
        return rule(*args)
    finally:
        LENIENT.set(previous)


def check_alive(trace, where):
    """Raise for a value of a transform that has returned, used in `where` (a primitive, or a description of it)."""
    if not LENIENT.get():
        raise EscapedTracerError(
            f"{getattr(where, 'name', where)} used a traced value of a {trace.kind} that has finished; return values "
            f"from the transformed function (has_aux=True for extra results) instead of storing them{at_user_line()}"
        )


# Tell whether code runs inside a transform: those that call the user's functions say so.

INSIDE = ContextVar("covector_inside", default=False)
inside_transform = INSIDE.get


def call_inside(fun, *args, **kwargs):
    """Call a user's function with traced values: NumPy's warnings name the line that they are of."""
    state, inside = error_state(), INSIDE.get()
    try:
        INSIDE.set(True)
        enter_reporting()
        return fun(*args, **kwargs)
    finally:
        try:
            leave_error_state(state)
        finally:  # a signal may arrive after either
            INSIDE.set(inside)
