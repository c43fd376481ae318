"""Function: operations with a backward of the user's own, applied at the level of their arguments."""

import inspect
import warnings

from ..inplace.inplace import chain
from ..modes.modes import MODES, modes, transforming
from ..state.levels import AMBIENT, BatchTrace, alive
from ..types.tensor_type import FOREIGN, TensorBase, needs_grad
from .apply_function import apply_at, apply_foreign, new_ctx, run_forward
from .batched_function import apply_batched
from .function_node import SingleLevelFunction, overrides


class Function(SingleLevelFunction):
    """An operation with a derivative of one's own: subclass it with static methods, and call `apply`.

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

    _signature = None, None, None  # see `signature`; of the class that has forward, or one that inherits it

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

    @classmethod
    def apply(cls, *args, **kwargs):
        """Run forward, and record backward."""
        if type(vars(cls).get("forward")) is not staticmethod and not any(
                isinstance(vars(k).get("forward"), staticmethod) for k in cls.__mro__[:-1]):
            raise RuntimeError("Legacy autograd function with non-static forward method is deprecated. Please use "
                               "new-style "
                               "autograd function with static forward method. (Example: "
                               "https://pytorch.org/docs/stable/autograd.html#torch.autograd.Function)")
        if kwargs or overrides(cls, "setup_context"):
            args = positional(cls, args, kwargs)
        return cls._applied(args)

    @classmethod
    def _applied(cls, args):
        """`apply` of positional arguments, in a span where a profile runs."""
        m = MODES.get()
        if m is None or m.recorder is None:
            return compute(cls, args)
        return m.recorder.run(cls.__name__, compute, (cls, args), None, args)


def compute(kind, args):
    """A Function at the innermost level among its arguments."""
    top = None
    for a in args:
        if isinstance(a, TensorBase) and a.level_trace is not None:
            args = tuple([alive(a) for a in args])
            top = top_level(args)
            break
    if top is FOREIGN:
        return apply_foreign(kind, args)
    if MODES.get() is not None and transforming() and not overrides(kind, "setup_context"):
        raise RuntimeError("In order to use an autograd.Function with functorch transforms (vmap, grad, jvp, jacrev, "
                           "...), it must override the setup_context staticmethod. For more details, please see "
                           "https://pytorch.org/docs/main/notes/extending.func.html")
    if isinstance(top, BatchTrace):
        if top.own and not (modes().grad and any(needs_grad(u) for a in args if isinstance(a, TensorBase)
                                                 for u in chain(a))):
            return run_forward(kind, new_ctx(kind, args), args)  # nothing is recorded: forward alone counts
        return apply_batched(kind, args, top, Function)
    return apply_at(kind, args, top or AMBIENT)


def top_level(args):
    """The innermost running level among tensor arguments: None for the ambient one."""
    top, number = None, -1
    for a in args:
        if isinstance(a, TensorBase) and a.level_trace is not None and not a.level_trace.done:
            owner = a.value.owner if a.level_trace is FOREIGN else a.level_trace
            if owner is None:  # a buffer of covector's
                return FOREIGN
            if owner.level > number:
                top, number = a.level_trace, owner.level
    return top


def positional(kind, args, kwargs):
    """The arguments of forward in order; with setup_context also its defaults."""
    whole = overrides(kind, "setup_context")
    lead = () if whole else (None,)  # ctx
    parameters, count = signature(kind)
    if not kwargs and count == len(lead) + len(args):
        return args
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


def signature(kind):
    """The signature of forward, found once, and how many arguments it takes if it takes none but positional ones."""
    known, found, count = kind._signature
    if known is not kind.forward:
        found = inspect.signature(kind.forward)
        kinds = [p.kind for p in found.parameters.values()]
        count = len(kinds) if set(kinds) <= {inspect.Parameter.POSITIONAL_ONLY,
                                             inspect.Parameter.POSITIONAL_OR_KEYWORD} else None
        kind._signature = kind.forward, found, count
    return found, count


class InplaceFunction(Function):
    """An old base class, kept for scripts that name it."""

    def __init__(self, inplace=False):
        super().__init__()
        self.inplace = inplace


class NestedIOFunction(Function):
    """An old base class for nested inputs, kept for scripts that name it."""
