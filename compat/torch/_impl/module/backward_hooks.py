"""Hooks on the gradients of a module's inputs and outputs: nodes of the identity on either side of its forward."""

import functools
import warnings

from ..factories.creation import zeros
from ..function.function import Function
from ..modes.grad_mode import is_grad_enabled
from ..types.tensor_type import TensorBase


class BackwardHookFunction(Function):
    """The identity, as a node to hook."""

    @staticmethod
    def forward(*args):
        return tuple([t.view_as(t) for t in args])

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.mark_non_differentiable(*[out for out, t in zip(output, inputs) if not t.requires_grad])

    @staticmethod
    def backward(ctx, *grads):
        return grads


class BackwardHook:
    """Calls the backward hooks of one call of a module.

    Args:
        module: what hooks get as their first argument.
        user_hooks: functions of `(module, grad_inputs, grad_outputs)`.
        user_pre_hooks: functions of `(module, grad_outputs)`.
    """

    def __init__(self, module, user_hooks, user_pre_hooks):
        self.user_hooks = user_hooks
        self.user_pre_hooks = user_pre_hooks
        self.module = module
        self.grad_outputs = None
        self.n_outputs = self.n_inputs = -1
        self.zeros = ()
        self.output_tensors_index = self.input_tensors_index = None

    def setup_input_hook(self, args):
        """The arguments of a call behind a node that calls the hooks."""
        makers = [zeros_of(a) for a in args]
        args, self.n_inputs, self.input_tensors_index = self._behind_node(args, self._hook_inputs)
        self.zeros = makers if self.input_tensors_index is not None else ()
        return args

    def setup_output_hook(self, args):
        """The outputs of a call behind a node that keeps their gradients."""
        single = not isinstance(args, tuple)
        args, self.n_outputs, self.output_tensors_index = self._behind_node((args,) if single else args,
                                                                            self._hook_outputs)
        return args[0] if single else args

    def _behind_node(self, args, register):
        """Arguments whose tensors went through one node; how many there are, and the places of the tensors."""
        places = [i for i, a in enumerate(args) if isinstance(a, TensorBase)]
        if not (is_grad_enabled() and any(args[i].requires_grad for i in places)):
            return args, len(args), None
        through = BackwardHookFunction.apply(*[args[i] for i in places])
        nodes = [t.grad_fn for t in through if t.grad_fn is not None]
        if not nodes:
            raise RuntimeError("Error while setting up backward hooks: no output of the module's call has a node; "
                               "please open an issue with code to reproduce this")
        register(nodes[0])
        whole = list(args)
        for i, t in zip(places, through):
            whole[i] = t
        if type(args) is tuple:
            return tuple(whole), len(args), places
        return type(args)(*whole), len(args), places  # a namedtuple

    def _hook_inputs(self, node):
        def hook(grad_input, _):
            if self.grad_outputs is None:
                return None  # the gradients of no output arrived
            grads = spread(grad_input, self.input_tensors_index, self.n_inputs)
            grads = tuple([make() if g is None and make is not None else g for g, make in zip(grads, self.zeros)])
            for user_hook in self.user_hooks:
                found = user_hook(self.module, grads, self.grad_outputs)
                if found is not None:
                    grads = checked(found, self.n_inputs, "Backward hook", "grad_input")
            self.grad_outputs = None
            return tuple([None if g is None else grads[i] for i, g in zip(self.input_tensors_index, grad_input)])

        node.register_hook(hook)

    def _hook_outputs(self, node):
        def hook(grad_output):
            grads = spread(grad_output, self.output_tensors_index, self.n_outputs)
            for user_hook in self.user_pre_hooks:
                found = user_hook(self.module, grads)
                if found is not None:
                    grads = checked(found, self.n_outputs, "Backward pre hook", "grad_output")
            self.grad_outputs = grads
            if self.input_tensors_index is None:
                if self.user_hooks:
                    warnings.warn("Full backward hook is firing when gradients are computed with respect to module "
                                  "outputs since no inputs require gradients. See "
                                  "https://docs.pytorch.org/docs/main/generated/torch.nn.Module.html"
                                  "#torch.nn.Module.register_full_backward_hook for more details.", stacklevel=5)
                nothing = (None,) * self.n_inputs
                for user_hook in self.user_hooks:
                    found = user_hook(self.module, nothing, self.grad_outputs)
                    if found is not None and not (isinstance(found, tuple) and all(g is None for g in found)):
                        raise RuntimeError("Backward hook for Modules where no input requires gradient should always "
                                           "return None or None for all gradients.")
                self.grad_outputs = None
            return tuple([grads[i] for i in self.output_tensors_index])

        node.register_prehook(hook)


def zeros_of(arg):
    """A maker of zeros for the gradient of an input that requires none, as hooks see it; None if not a tensor."""
    if not isinstance(arg, TensorBase):
        return None
    return functools.partial(zeros, tuple(arg.shape), dtype=arg.dtype, device=arg.device)


def spread(values, places, count):
    """The values at their places among `count`, None elsewhere."""
    whole = [None] * count
    for i, v in zip(places, values):
        whole[i] = v
    return tuple(whole)


def checked(found, count, what, which):
    """The return value of a user's hook, as a tuple of the right length."""
    found = found if isinstance(found, tuple) else (found,)
    if len(found) != count:
        raise RuntimeError(f"{what} returned an invalid number of {which}, got {len(found)}, but expected {count}")
    return found


def hook_last_node(module, hooks, inputs, output):
    """Register hooks of the old kind, which get what arrives at the last node of a module."""
    first = output
    while not isinstance(first, TensorBase):
        first = next(v for v in first.values() if isinstance(v, TensorBase)) if isinstance(first, dict) else first[0]
    node = first.grad_fn
    if node is None:
        return
    for hook in hooks:
        node.register_hook(functools.partial(hook, module))
    warn_of_last_node(inputs, output, node)


def warn_of_last_node(inputs, output, node):
    """Warn where the last node does not see the gradients of a module's inputs and outputs."""
    if not (isinstance(output, TensorBase) or isinstance(output, tuple) and all(
            isinstance(t, TensorBase) for t in output)):
        problem = "that does not return a single Tensor or a tuple of Tensors"
    elif not (isinstance(inputs, TensorBase) or isinstance(inputs, tuple) and all(
            isinstance(t, TensorBase) for t in inputs)):
        problem = "that does not take as input a single Tensor or a tuple of Tensors"
    elif isinstance(output, tuple) and len({t.grad_fn for t in output if t.grad_fn is not None} | {node}) > 1:
        problem = "when outputs are generated by different autograd Nodes"
    else:
        takes = {f for f, _ in node.next_functions if f is not None}
        given = {t.grad_fn for t in ((inputs,) if isinstance(inputs, TensorBase) else inputs) if t.grad_fn is not None}
        if takes == given:
            return
        warnings.warn("Using a non-full backward hook when the forward contains multiple autograd Nodes is deprecated "
                      "and will be removed in future versions. This hook will be missing some grad_input. Please use "
                      "register_full_backward_hook to get the documented behavior.", FutureWarning, stacklevel=5)
        return
    what = "is deprecated and will be removed in future versions. This hook will be missing some of the " + (
        "grad_input" if "input" in problem else "grad_output")
    warnings.warn(f"Using non-full backward hooks on a Module {problem} {what}. Please use register_full_backward_hook "
                  "to get the documented behavior.", FutureWarning, stacklevel=5)
