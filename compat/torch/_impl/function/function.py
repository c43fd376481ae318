"""Function: operations with a user-defined backward."""

import inspect
import warnings

import numpy as np

from ..... import numpy as cnp
from ..engine.graph_task import RUNNING
from ..graph.node import FREED, UNDEFINED, GradNode, shown
from ..modes.modes import transforming
from ..state.state import wrap
from ..types.tensor_type import TensorBase
from ..views.views import shape_dtype
from .function_saved import raw_saved, unpack

ndarray = np.ndarray


class FunctionCtx:
    """What forward and backward share: saved tensors, flags, and user-defined attributes."""

    __slots__ = ()

    def save_for_backward(self, *tensors):
        """Save tensors for backward; None is allowed."""
        for t in tensors:
            if t is not None and not isinstance(t, TensorBase):
                raise TypeError(f"save_for_backward can only save variables, but argument {tensors.index(t)} is of "
                                "type "
                                f"{type(t).__name__}")
        self._state.to_save = tensors

    def save_for_forward(self, *tensors):
        """Save tensors for jvp."""
        for t in tensors:
            if t is not None and not isinstance(t, TensorBase):
                raise AssertionError("save_for_forward expects all arguments to be tensors; you should save "
                                     "non-tensors as "
                                     "attributes on ctx.")
        self._state.for_forward = tensors

    def mark_dirty(self, *args):
        """Declare the inputs that forward modified in place."""
        for i, t in enumerate(args):
            if not isinstance(t, TensorBase):
                raise RuntimeError(f"mark_dirty can only accept variables, but argument {i} is of type "
                                   f"{type(t).__name__}")
        self._state.dirty = args

    def mark_non_differentiable(self, *args):
        """Declare the outputs that are not differentiable."""
        for t in args:
            if t is not None and not isinstance(t, TensorBase):
                raise RuntimeError("mark_non_differentiable only accepts variable arguments, but got "
                                   f"{type(t).__name__}")
        self._state.non_differentiable = args

    def mark_shared_storage(self, *pairs):
        """Not supported: removed from PyTorch."""
        raise RuntimeError("mark_shared_storage is deprecated. Tensors with shared storages are automatically "
                           "tracked. Note "
                           "that calls to `set_()` are not tracked")

    def set_materialize_grads(self, value):
        """Set whether missing gradients are passed to backward as zeros (the default) or as None."""
        self._state.materialize = value

    @property
    def saved_tensors(self):
        """The saved tensors."""
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
        """One flag per input of forward: whether it needs a gradient."""
        return self._state.needs

    @needs_input_grad.setter
    def needs_input_grad(self, value):
        self._state.needs = value

    @property
    def materialize_grads(self):
        """Whether missing gradients arrive as zeros."""
        return self._state.materialize

    @property
    def dirty_tensors(self):
        """The inputs that were marked dirty."""
        return self._state.dirty

    @property
    def to_save(self):
        """What was handed to save_for_backward."""
        return self._state.to_save


class State:
    """What the engine knows of one call of a Function."""

    __slots__ = ("count", "dirty", "for_forward", "kept", "kind", "materialize", "needs",
                 "non_differentiable", "outputs", "plain", "shapes", "tensors", "to_save", "where")

    def __init__(self, kind):
        self.kind = kind
        self.to_save = self.for_forward = self.dirty = self.non_differentiable = ()
        self.materialize = True
        self.needs = ()
        self.count = 0  # how many inputs forward got
        self.kept = None
        self.outputs = 1
        self.shapes = ()
        self.plain = ()  # the numbers of outputs that carry no gradient
        self.tensors = ()  # the positions of tensor inputs
        self.where = ()  # for each parent, the position of its input


class BackwardCFunction(FunctionCtx, GradNode):
    """The node of a Function, which is also the ctx that its methods get."""

    __slots__ = ("__dict__", "_state")

    def name(self):
        """`MyFnBackward`; of a level of `func`, `MyFnGeneratedBackward`."""
        return type(self).__name__

    def run(self, ct, drive):
        """A Function has no rule of core's: always the long path."""
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
                grads.append(wrap(np.zeros(*like)) if zeros else None)
            else:
                grads.append(drive.tensor(c))
        fun = backward_of(state.kind)
        outer = RUNNING.get()
        RUNNING.set(drive)
        try:
            result = fun(self, *grads)
        finally:
            RUNNING.set(outer)
        if not isinstance(result, tuple):
            result = (result,)
        count = state.count
        if len(result) > count and all(r is None for r in result[count:]):
            result = result[:count]
        if len(result) != count:
            raise RuntimeError(f"function {self.name()} returned an incorrect number of gradients (expected {count}, "
                               "got "
                               f"{len(result)})")
        out = []
        for place, (shape, dtype) in state.where:
            out.append(checked(self, place, result[place], shape, dtype, drive))
        if not drive.retain:
            self.release()
        return out[0] if type(self.parents) is not tuple else tuple(out)

    def undefined(self):
        """Unused: `apply` makes zeros or None of undefined cotangents."""
        return UNDEFINED

    def release(self):
        """Forget what was saved."""
        self._state.kept = FREED

    @property
    def next_functions(self):
        """The nodes of the tensor inputs."""
        parents = self.parents if type(self.parents) is tuple else (self.parents,)
        found = dict(zip([place for place, _ in self._state.where], [shown(p) for p in parents]))
        return tuple([found.get(i, (None, 0)) for i in self._state.tensors])

    def __getattr__(self, key):
        raise AttributeError(f"'{self.name()}' object has no attribute '{key}'")

    def __dir__(self):
        return object.__dir__(self)


def backward_of(kind):
    """The user's reverse rule: backward, or vjp."""
    if kind.backward is not Function.backward and kind.vjp is not Function.vjp:
        raise RuntimeError("Implementing both 'backward' and 'vjp' for a custom Function is not allowed. You should "
                           "only "
                           "implement one of them.")
    return kind.vjp if kind.vjp is not Function.vjp else kind.backward


def checked(node, place, grad, shape, dtype, drive):
    """The cotangent of one input, or torch's error."""
    if grad is None:
        return UNDEFINED
    if not isinstance(grad, TensorBase):
        raise RuntimeError(f"expected Variable or None (got {type(grad).__name__})")
    got, kind = shape_dtype(grad)
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
        c = c.astype(dtype)
    return c


class FunctionMeta(type):
    """Makes the class of nodes of a Function."""

    def __init__(cls, name, bases, attrs):
        super().__init__(name, bases, attrs)
        slots = {"__slots__": (), "_forward_cls": cls}
        cls._backward_cls = type(name + "Backward", (BackwardCFunction,), slots)
        cls._generated_cls = type(name + "GeneratedBackward", (BackwardCFunction,), slots)  # of a level of func


class Function(metaclass=FunctionMeta):
    """An operation with a custom derivative: subclass it with static methods, and call `apply`.

    `forward(ctx, *args)` computes, `backward(ctx, *grads)` returns one gradient per argument of forward; or
    `forward(*args)` with `setup_context(ctx, inputs, output)`. `jvp` and `vmap` are optional.

    >>> import covector.compat.torch as torch
    >>> class Cube(torch.autograd.Function):
    ...     @staticmethod
    ...     def forward(ctx, x):
    ...         ctx.save_for_backward(x)
    ...         return x ** 3
    ...     @staticmethod
    ...     def backward(ctx, grad):
    ...         x, = ctx.saved_tensors
    ...         return 3 * x ** 2 * grad
    >>> x = torch.tensor(2.0, requires_grad=True)
    >>> Cube.apply(x).backward()
    >>> x.grad
    tensor(12.)
    """

    generate_vmap_rule = False

    def __init__(self, *args, **kwargs):
        warnings.warn(f"{type(self)} should not be instantiated. Methods on autograd functions are all static, so "
                      "you should "
                      "invoke them on the class itself. Instantiating an autograd function will raise an error in a "
                      "future "
                      "version of PyTorch.", DeprecationWarning, stacklevel=2)

    def __call__(self, *args, **kwargs):
        raise RuntimeError("Legacy autograd function with non-static forward method is deprecated. Please use "
                           "new-style "
                           "autograd function with static forward method. (Example: "
                           "https://pytorch.org/docs/stable/autograd.html#torch.autograd.Function)")

    @staticmethod
    def forward(*args, **kwargs):
        """Compute the outputs; to be overridden."""
        raise NotImplementedError("You must implement the forward function for custom autograd.Function.")

    @staticmethod
    def setup_context(ctx, inputs, output):
        """Set up ctx after a forward that does not take it; to be overridden."""
        raise NotImplementedError("setup_context is not implemented.")

    @staticmethod
    def backward(ctx, *grad_outputs):
        """Return one gradient per argument of forward; to be overridden."""
        raise NotImplementedError("You must implement either the backward or vjp method for your custom "
                                  "autograd.Function "
                                  "to use it with backward mode AD.")

    vjp = backward

    @staticmethod
    def jvp(ctx, *grad_inputs):
        """Return the tangents of the outputs; to be overridden."""
        raise NotImplementedError("You must implement the jvp function for custom autograd.Function to use it with "
                                  "forward "
                                  "mode AD.")

    @staticmethod
    def vmap(info, in_dims, *args):
        """Run the operation on batches: `(output, out_dims)`; to be overridden."""
        raise NotImplementedError("To use autograd.Function with vmap, you must either override the vmap "
                                  "staticmethod or set "
                                  "generate_vmap_rule=True.")

    @classmethod
    def apply(cls, *args, **kwargs):
        """Run forward, and record backward."""
        static = isinstance(cls.__dict__.get("forward", staticmethod(None)), staticmethod)
        if not static and not any(isinstance(k.__dict__.get("forward"), staticmethod) for k in cls.__mro__[:-1]):
            raise RuntimeError("Legacy autograd function with non-static forward method is deprecated. Please use "
                               "new-style "
                               "autograd function with static forward method. (Example: "
                               "https://pytorch.org/docs/stable/autograd.html#torch.autograd.Function)")
        if kwargs or cls.setup_context is not Function.setup_context:
            args = positional(cls, args, kwargs)
        return APPLY[0](cls, args)


Function.vjp = Function.backward


def positional(kind, args, kwargs):
    """The arguments of forward in order; with setup_context also its defaults."""
    whole = kind.setup_context is not Function.setup_context
    lead = () if whole else (None,)  # ctx
    parameters = inspect.signature(kind.forward)
    for key in kwargs:
        found = parameters.parameters.get(key)
        if found is not None and found.kind is inspect.Parameter.KEYWORD_ONLY and transforming() and isinstance(
                kwargs[key], TensorBase):
            raise NotImplementedError(f"Run vmap on autograd.Function with kwarg-only Tensor args: {kind.__name__} got "
                                      f"{key}, which has no derivative and no mapped axis. Please do not pass "
                                      "kwarg-only Tensors to autograd.Function.")
        if found is None or found.kind is not inspect.Parameter.POSITIONAL_OR_KEYWORD:
            raise TypeError(f"forward() got an unexpected keyword argument '{key}'")
    try:
        bound = parameters.bind(*lead, *args, **kwargs)
    except TypeError as error:
        raise TypeError(f"forward() {error}") from None
    if whole:
        bound.apply_defaults()
    if bound.kwargs:
        raise TypeError(f"forward() got an unexpected keyword argument '{next(iter(bound.kwargs))}'")
    return bound.args[len(lead):]


class InplaceFunction(Function):
    """An old base class, kept for scripts that name it."""

    def __init__(self, inplace=False):
        super().__init__()
        self.inplace = inplace


class NestedIOFunction(Function):
    """An old base class for nested inputs, kept for scripts that name it."""


APPLY = []  # filled by apply_function.py
