"""Operations that users define: `torch.library.custom_op`, each one a Function, found as `torch.ops.namespace.name`."""

import functools
import inspect

from ..state.meta import is_meta
from ..types.pytree import tree_flatten, tree_leaves
from ..types.tensor_type import TensorBase, needs_grad
from .function import Function

OPERATORS = {}  # qualified name -> CustomOpDef
EARLY_FAKES = {}  # qualified name -> what register_fake was given for an operation that is not defined yet


def custom_op(name, fn=None, /, *, mutates_args, device_types=None, schema=None, tags=None):
    """Define an operation by a function of tensors: its insides are not recorded, its derivative is what is registered.

    Args:
        name: `"namespace::name"`.
        fn: the function; without it a decorator is returned. Outputs are tensors, or lists or tuples of them, and not
            the inputs themselves.
        mutates_args: the names of the arguments it writes to; `()` for none.
        device_types: those that the function is for; it runs on "cpu".
        schema, tags: for compilers; not needed.

    >>> import numpy as np
    >>> import covector.compat.torch as torch
    >>> @torch.library.custom_op("example::cube", mutates_args=())
    ... def cube(x: torch.Tensor) -> torch.Tensor:
    ...     return torch.from_numpy(x.numpy() ** 3)
    >>> def backward(ctx, grad):
    ...     return 3 * ctx.x ** 2 * grad
    >>> def setup_context(ctx, inputs, output):
    ...     ctx.x, = inputs
    >>> cube.register_autograd(backward, setup_context=setup_context)
    >>> x = torch.tensor([2.0], requires_grad=True)
    >>> torch.ops.example.cube(x).sum().backward()
    >>> x.grad
    tensor([12.])
    """
    if fn is None:
        return functools.partial(custom_op, name, mutates_args=mutates_args, device_types=device_types, schema=schema,
                                 tags=tags)
    op = CustomOpDef(name, fn, mutates_args)
    if not on_cpu(device_types):
        op.kernel = None
    OPERATORS[name] = op
    return op


def tensors_of(nest):
    """The tensors in a nest."""
    return [x for x in tree_leaves(nest) if isinstance(x, TensorBase)]


def on_cpu(device_types):
    """Tell whether device types, None for all, include the CPU."""
    return device_types is None or "cpu" in ([device_types] if isinstance(device_types, str) else device_types)


class CustomOpDef:
    """An operation by its function, and what was registered for it."""

    def __init__(self, name, fn, mutates_args):
        space, colons, word = name.partition("::")
        if not (space and colons and word.isidentifier()):
            raise ValueError(f"Expected name to be of the form 'namespace::name', but got {name!r}")
        self._qualname, self._namespace, self._name = name, space, word
        self._signature = inspect.signature(fn)
        if isinstance(mutates_args, str):
            mutates_args = self._signature.parameters if mutates_args == "unknown" else (mutates_args,)
        unknown = [a for a in mutates_args if a not in self._signature.parameters]
        if unknown:
            raise ValueError(f"{name}: mutates_args names {', '.join(unknown)}, which the function does not take")
        self.mutated = frozenset(mutates_args)
        self.kernel = fn
        self.backward = self.setup = self.batched = self._function = None
        self.fake = EARLY_FAKES.pop(name, None)
        functools.update_wrapper(self, fn, updated=())

    def __repr__(self):
        return f"<CustomOpDef({self._qualname})>"

    @property
    def default(self):
        """The operation itself: it has one overload."""
        return self

    def __call__(self, *args, **kwargs):
        bound = self._signature.bind(*args, **kwargs)
        bound.apply_defaults()
        for name in self.mutated:
            if any(needs_grad(x) for x in tensors_of(bound.arguments[name])):
                raise RuntimeError(f"{self._qualname} writes to its argument {name}, which requires grad, and what it "
                                   "writes has no derivative; pass it under torch.no_grad(), or detach it")
        if self.fake is not None and any(is_meta(x) for x in tensors_of(bound.arguments)):
            return self.fake(*bound.args, **bound.kwargs)
        call = Call(self, *tree_flatten(bound.args, is_leaf=no_list_of_tensors), bound.kwargs)
        if self._function is None:
            self._function = function_of(self)
        return call.nested(self._function.apply(*call.flat, call))

    def compute(self, args, kwargs):
        """Run the function."""
        if self.kernel is None:
            raise NotImplementedError(f"{self._qualname} has no implementation on the CPU; register one with "
                                      "register_kernel('cpu')")
        tensors, out = tensors_of((args, kwargs)), self.kernel(*args, **kwargs)
        for x in tree_leaves(out):
            if any(x is t for t in tensors):
                raise RuntimeError(f"{self._qualname} returned one of its inputs; the outputs of a custom operation "
                                   "must not be inputs or views of them: return a clone")
        return out

    def register_autograd(self, backward, /, *, setup_context=None):
        """Let `backward(ctx, *grads)` be the derivative: one gradient an argument.

        Args:
            setup_context: `setup_context(ctx, inputs, output)` saves what backward needs; keyword-only arguments
                come to it as `keyword_only_inputs`.
        """
        if self.mutated:
            raise RuntimeError(f"Cannot register autograd formula for non-functional operator {self._qualname}: it "
                               f"writes to {', '.join(sorted(self.mutated))}. Please create a functional operator and "
                               "register an autograd formula for that.")
        self.backward, self.setup, self._function = backward, setup_context, None

    def register_vmap(self, func=None, /):
        """Let `func(info, in_dims, *args)` compute whole batches; it returns the outputs and their axes."""
        if func is None:
            return self.register_vmap
        self.batched, self._function = func, None
        return func

    def register_fake(self, fn, /):
        """Let a function give the shapes of outputs, for tensors of device meta."""
        self.fake = fn
        return fn

    def register_kernel(self, device_types, fn=None, /):
        """Let a function compute on some types of devices; those of the CPU run here."""
        if fn is None:
            return functools.partial(self.register_kernel, device_types)
        if on_cpu(device_types):
            self.kernel = fn
        return fn


class Call:
    """One call: the arguments in a row, and what nests them and the outputs again."""

    def __init__(self, op, flat, spec, named):
        self.op, self.flat, self.spec, self.named = op, flat, spec, named
        self.outs = None

    def inputs(self, flat):
        """The positional arguments."""
        return self.spec.unflatten(flat)

    def run(self, flat):
        """The outputs in a row, or the one that there is."""
        out = self.op.compute(self.inputs(flat), self.named)
        if isinstance(out, TensorBase) or out is None:
            return out
        outs, self.outs = tree_flatten(out)
        return tuple(outs)

    def nested(self, out):
        """The outputs as the function returned them."""
        return out if self.outs is None else self.outs.unflatten(out)


def function_of(op):
    """The Function of an operation: its inputs are all tensors, lists taken apart, and the call behind them."""

    def forward(*flat):
        return flat[-1].run(flat[:-1])

    def setup_context(ctx, inputs, output):
        ctx._call = call = inputs[-1]
        if op.setup is not None:
            named = {"keyword_only_inputs": call.named} if call.named else {}
            op.setup(ctx=ctx, inputs=call.inputs(inputs[:-1]), output=call.nested(output), **named)

    def backward(ctx, *grads):
        if op.backward is None:
            raise RuntimeError(f"Trying to backward through {op._qualname} but no autograd formula was registered. "
                               "Please use register_autograd to add one.")
        call, needs = ctx._call, ctx.needs_input_grad
        if call.outs is not None:
            grads = call.outs.unflatten(grads)
            grads = grads if isinstance(grads, tuple) else (grads,)
        ctx.needs_input_grad = call.inputs(needs[:-1])
        try:
            found = op.backward(ctx, *grads)
        finally:
            ctx.needs_input_grad = needs
        found = found if isinstance(found, tuple) else (found,)
        return (*rows_of(op, call, found), None)

    def vmap(info, in_dims, *flat):
        call = flat[-1]
        return op.batched(info, call.inputs(in_dims[:-1]), *call.inputs(flat[:-1]), **call.named)

    body = {"forward": forward, "setup_context": setup_context, "backward": backward}
    if op.batched is not None:
        body["vmap"] = vmap
    kind = type(f"GeneratedBackwardFor_{op._namespace}_{op._name}_default", (Function,),
                {name: staticmethod(fun) for name, fun in body.items()})
    kind.generate_vmap_rule = op.batched is None
    return kind


def rows_of(op, call, found):
    """The gradients that backward returned, in a row: None for a list is None for each of its tensors."""
    parts = call.spec.children()
    if len(found) != len(parts):
        raise RuntimeError(f"{op._qualname}: backward returned {len(found)} gradients, but the operation has "
                           f"{len(parts)} arguments; return one for each, None where there is none")
    for grad, part in zip(found, parts):
        if part.is_leaf():
            yield grad
        elif grad is None:
            yield from [None] * part.num_leaves
        else:
            yield from tree_leaves(grad)


def no_list_of_tensors(x):
    """Tell whether an argument is not taken apart."""
    return not (isinstance(x, tuple) or isinstance(x, list) and all(isinstance(v, TensorBase) for v in x))
