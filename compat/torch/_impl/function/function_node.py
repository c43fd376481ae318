"""A Function at one level: the methods that users override, and its node, which is the ctx they get."""

import warnings

import numpy as np

from ..... import numpy as cnp
from ....._engine import FREED
from ..engine.graph_task import RUNNING
from ..graph.hooks import shown
from ..graph.node import GradNode
from ..graph.node_data import NodeExtra, led_to
from ..graph.node_errors import UNDEFINED
from ..graph_view.shown_node import ShownNode
from ..state.meta import facts_of, fitting
from ..types.tensor_type import TensorBase, wrap
from .function_saved import raw_saved, unpack
from .intermediates import recorded, withdrawn

ndarray = np.ndarray


def stated(field, doc):
    """A property for the tensors last handed to a method of a ctx, which may be assigned as well."""

    def read(self):
        return getattr(self._state, field) or None

    def assign(self, value):
        setattr(self._state, field, () if value is None else tuple(value))

    return property(read, assign, doc=doc)


class FunctionCtx:
    """State shared by forward and backward: saved tensors, flags, and the user's own attributes."""

    __slots__ = ()

    def save_for_backward(self, *tensors):
        """Keep tensors for backward; None is allowed."""
        for place, t in enumerate(tensors):
            if t is not None and not isinstance(t, TensorBase):
                raise TypeError(f"save_for_backward can only save variables, but argument {place} is of type "
                                f"{type(t).__name__}")
        self._state.to_save = tensors

    def save_for_forward(self, *tensors):
        """Keep tensors for jvp."""
        for t in tensors:
            if t is not None and not isinstance(t, TensorBase):
                raise AssertionError("save_for_forward expects all arguments to be tensors; you should save "
                                     "non-tensors as "
                                     "attributes on ctx.")
        self._state.for_forward = tensors

    def mark_dirty(self, *args):
        """Name the inputs that forward wrote to in place."""
        for i, t in enumerate(args):
            if not isinstance(t, TensorBase):
                raise RuntimeError(f"mark_dirty can only accept variables, but argument {i} is of type "
                                   f"{type(t).__name__}")
        self._state.dirty = args

    def mark_non_differentiable(self, *args):
        """Name the outputs that carry no gradient."""
        for t in args:
            if t is not None and not isinstance(t, TensorBase):
                raise RuntimeError("mark_non_differentiable only accepts variable arguments, but got "
                                   f"{type(t).__name__}")
        self._state.non_differentiable = args

    def mark_shared_storage(self, *pairs):
        """Nothing but a warning: memory that tensors share is known."""
        warnings.warn("`mark_shared_storage` is deprecated. Tensors with shared storages are automatically tracked. "
                      "Note that calls to `set_()` are not tracked", FutureWarning, stacklevel=2)

    def set_materialize_grads(self, value):
        """Tell whether missing gradients arrive in backward as zeros (the default) or as None."""
        if not isinstance(value, bool):
            raise TypeError("set_materialize_grads received an invalid combination of arguments - got "
                            f"({type(value).__name__}), but expected (bool)")
        self._state.materialize = value

    @property
    def saved_tensors(self):
        """The tensors that were saved."""
        return unpack(self)

    @property
    def saved_variables(self):
        """The old name of `saved_tensors`."""
        warnings.warn("'saved_variables' is deprecated; use 'saved_tensors'", DeprecationWarning, stacklevel=2)
        return unpack(self)

    @property
    def _raw_saved_tensors(self):
        return raw_saved(self)

    @property
    def needs_input_grad(self):
        """One flag an input of forward."""
        return self._state.needs

    @needs_input_grad.setter
    def needs_input_grad(self, value):
        self._state.needs = value

    @property
    def materialize_grads(self):
        """Tell whether missing gradients arrive as zeros."""
        return self._state.materialize

    dirty_tensors = stated("dirty", "The inputs that were marked dirty; None without any, as for all of these.")
    non_differentiable = stated("non_differentiable", "The outputs that were marked.")
    to_save = stated("to_save", "What was handed to save_for_backward.")
    saved_for_forward = stated("for_forward", "What was handed to save_for_forward.")


class State:
    """Engine state of one call of a Function."""

    __slots__ = ("again", "count", "dirty", "edges", "for_forward", "kept", "kind", "materialize", "named", "needs",
                 "non_differentiable", "outputs", "plain", "shapes", "tensors", "to_save", "where")

    def __init__(self, kind):
        self.kind = kind
        self.to_save = self.for_forward = self.dirty = self.non_differentiable = ()
        self.materialize = True
        self.needs = ()
        self.again = None  # `Again`, if forward left values on the ctx that are neither inputs nor outputs
        self.edges = None  # the nodes of the inputs, None for those without, while forward runs
        self.count = 0  # how many inputs forward got
        self.kept = None
        self.named = None  # what the user's code put into attributes of the ctx that the node has, too
        self.outputs = 1
        self.shapes = ()
        self.plain = ()  # the numbers of outputs that carry no gradient
        self.tensors = ()  # the positions of tensor inputs
        self.where = ()  # for each parent, the position of its input


class BackwardCFunction(FunctionCtx, ShownNode):
    """The node of a Function, which is also the ctx that its methods get."""

    __slots__ = ("__dict__", "_state")
    __new__ = GradNode.__new__  # these nodes are made as they are shown

    def name(self):
        """`MyFnBackward`; of a level of `func`, `MyFnGeneratedBackward`; of an operation of ours, PyTorch's name."""
        extra = self.extra
        return type(self).__name__ if type(extra) is not NodeExtra or extra.name is None else extra.name

    def run_in_sweep(self, ct, drive):
        """A Function has no rule of core's: always the long road."""
        if ct is UNDEFINED and len(self._state.shapes) > 1:
            ct = (UNDEFINED,) * len(self._state.shapes)
        return self.run_slowly(ct, drive)

    def apply(self, ct, drive):
        """Run the user's backward (or vjp) on tensors."""
        state = self._state
        cts = ct if type(ct) is tuple else (ct,)
        grads = []
        fill_plain = self.__dict__.get("_materialize_non_diff_grads", True)
        for k, (c, like) in enumerate(zip(cts, state.shapes)):
            if c is None or c is UNDEFINED:
                zeros = state.materialize and like is not None and (fill_plain or k not in state.plain)
                grads.append(wrap(zeros_of(*like)) if zeros else None)
            else:
                grads.append(drive.tensor(c) if drive.shown is None else shown(c, drive))
        fun = backward_of(state.kind)
        outer = RUNNING.get()
        mine = None if state.named is None else show(self, state.named)
        lent = recorded(self, fun) if state.again is not None and drive.create_graph else None
        try:
            RUNNING.set(drive)
            result = fun(self, *grads)
        finally:
            RUNNING.set(outer)
            if lent is not None:
                withdrawn(self, *lent)
            if mine is not None:
                show(self, mine)
        if not isinstance(result, tuple):
            result = (result,)
        count = state.count
        if len(result) > count and all(r is None for r in result[count:]):
            result = result[:count]
        if len(result) != count:
            raise RuntimeError(f"function {self.name()} returned an incorrect number of gradients (expected {count}, "
                               "got "
                               f"{len(result)})")
        if len(state.tensors) != count:
            refuse_others(self, result)
        out = []
        for k, (place, facts) in enumerate(state.where):
            out.append(checked(self, place, result[place], facts, drive, k))
        if not drive.retain:
            self.release()
        return out[0] if type(self.parents) is not tuple else tuple(out)

    def undefined(self):
        """Unused: `apply` makes zeros or None of undefined cotangents."""
        return UNDEFINED

    def release(self):
        """Forget what was saved."""
        self._state.kept = FREED
        self._state.again = None

    def operands(self):
        """The nodes of the tensor inputs."""
        if (edges := self._state.edges) is not None:
            return tuple([(None, 0) if edges[i] is None else led_to(edges[i]) for i in self._state.tensors])
        if type(self.extra) is NodeExtra and self.extra.edges is not None:
            return tuple([(None, 0) if e is None else led_to(e) for e in self.extra.edges])
        parents = self.parents if type(self.parents) is tuple else (self.parents,)
        if not parents:  # nothing is recorded
            return ()
        found = dict(zip([place for place, _ in self._state.where], [led_to(p) for p in parents]))
        return tuple([found.get(i, (None, 0)) for i in self._state.tensors])

    def __getattr__(self, key):
        raise AttributeError(f"'{self.name()}' object has no attribute '{key}'")

    def __dir__(self):
        return object.__dir__(self)


_FIELDS = {"rule": None, "parents": (), "saved": None}  # of a node whose forward runs


def set_aside(ctx):
    """Give a ctx its own fields back where the user's code has put something under their names, which is kept."""
    if ctx.rule is not None or ctx.parents is not _FIELDS["parents"] or ctx.saved is not None:
        for name, own in _FIELDS.items():
            value = getattr(ctx, name)
            if value is not own:
                ctx._state.named = {**(ctx._state.named or {}), name: value}
                setattr(ctx, name, own)
    if ctx.extra is not None and not isinstance(ctx.extra, NodeExtra):
        ctx._state.named = {**(ctx._state.named or {}), "extra": ctx.extra}
        ctx.extra = None
    if "name" in ctx.__dict__:
        ctx._state.named = {**(ctx._state.named or {}), "name": ctx.__dict__.pop("name")}
    if ctx.seq is not None:
        ctx._state.named = {**(ctx._state.named or {}), "seq": ctx.seq}


def show(ctx, fields):
    """Put values into fields of a node; returns what was there."""
    before = {name: getattr(ctx, name) for name in fields}
    for name, value in fields.items():
        setattr(ctx, name, value)
    if "name" in fields and callable(fields["name"]):
        del ctx.name  # the method of its class
    return before


def refuse_others(node, result):
    """torch's error for a gradient of an input that is no tensor."""
    for place, grad in enumerate(result):
        if grad is not None and place not in node._state.tensors:
            raise RuntimeError(f"function {node.name()} returned a gradient different than None at position "
                               f"{place + 1}, but the corresponding forward input was not a Variable")


def zeros_of(shape, dtype, library):
    """An array for a gradient that nothing arrived for."""
    return library.zeros(shape, dtype)


def checked(node, place, grad, facts, drive, k):
    """The cotangent of one input, that of parent `k`, or torch's error."""
    if grad is None:
        return UNDEFINED
    if not isinstance(grad, TensorBase):
        raise RuntimeError(f"expected Variable or None (got {type(grad).__name__})")
    shape, dtype, there = facts
    got, kind, here = facts_of(grad)
    if here is not there:
        grad = fitting(grad, there, place, f"Function {node.name()} returned an ")
    c = drive.value(grad)
    if got != shape:
        try:
            fits = np.broadcast_shapes(got, shape) == got
        except ValueError:
            fits = False
        if not fits:
            raise RuntimeError(f"Function {node.name()} returned an invalid gradient at index {place} - got "
                               f"{list(got)} but "
                               f"expected shape compatible with {list(shape)}")
        lead = len(got) - len(shape)
        axes = tuple(range(lead)) + tuple(i + lead for i, n in enumerate(shape) if n == 1 and got[i + lead] != 1)
        c = cnp.reshape(cnp.sum(c, axis=axes), shape)
    if kind != dtype:
        if kind.kind == "c" and dtype.kind != "c":
            raise RuntimeError("Expected isFloatingType(grad.scalar_type()) || (input_is_complex == grad_is_complex) "
                               "to be "
                               f"true, but got false. {node.name()} returned a complex gradient for a real input at "
                               "index "
                               f"{place}; take its real part")
        parent = node.parents[k] if type(node.parents) is tuple else node.parents
        c = c if kept_as_it_is(parent, kind) else c.astype(dtype)
    return c


def kept_as_it_is(parent, kind):
    """Tell whether a node is that of a leaf whose `grad_dtype` lets a gradient of a dtype through."""
    meta = parent.saved.autograd_meta if parent.of_leaf and parent.saved is not None else None
    wanted = None if meta is None else meta.grad_dtype
    return wanted is not None and (wanted is Ellipsis or wanted.numpy == kind)


class FunctionMeta(type):
    """Makes the class of nodes of a Function."""

    def __init__(cls, name, bases, attrs):
        super().__init__(name, bases, attrs)
        slots = {"__slots__": (), "_forward_cls": cls}
        cls._backward_cls = type(name + "Backward", (BackwardCFunction,), slots)
        cls._generated_cls = type(name + "GeneratedBackward", (BackwardCFunction,), slots)  # of a level of func


class SingleLevelFunction(metaclass=FunctionMeta):
    """A Function at one level: the methods that users override."""

    generate_vmap_rule = False
    clear_saved_tensors_on_access = False  # whether saved_tensors may be read once only, and the node keeps none after

    @staticmethod
    def forward(*args, **kwargs):
        """Compute; to be overridden."""
        raise NotImplementedError("You must implement the forward function for custom autograd.Function.")

    @staticmethod
    def setup_context(ctx, inputs, output):
        """Fill ctx after a forward without one; to be overridden."""
        raise NotImplementedError("setup_context is not implemented.")

    @staticmethod
    def backward(ctx, *grad_outputs):
        """One gradient an argument of forward; to be overridden."""
        raise NotImplementedError("You must implement either the backward or vjp method for your custom "
                                  "autograd.Function "
                                  "to use it with backward mode AD.")

    vjp = backward

    @staticmethod
    def jvp(ctx, *grad_inputs):
        """Tangents of the outputs; to be overridden."""
        raise NotImplementedError("You must implement the jvp function for custom autograd.Function to use it with "
                                  "forward "
                                  "mode AD.")

    @staticmethod
    def vmap(info, in_dims, *args):
        """The operation on batches: `(output, out_dims)`; to be overridden."""
        raise NotImplementedError("To use autograd.Function with vmap, you must either override the vmap "
                                  "staticmethod or set "
                                  "generate_vmap_rule=True.")


def overrides(kind, name):
    """Tell whether a Function has a method of its own in place of the one that is to be overridden."""
    return getattr(kind, name) is not getattr(SingleLevelFunction, name)


def backward_of(kind):
    """The user's reverse rule: backward, or vjp."""
    if overrides(kind, "backward") and overrides(kind, "vjp"):
        raise RuntimeError("Implementing both 'backward' and 'vjp' for a custom Function is not allowed. You should "
                           "only "
                           "implement one of them.")
    return kind.vjp if overrides(kind, "vjp") else kind.backward
