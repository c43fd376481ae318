"""Hooks of all modules at once."""

from collections import OrderedDict

from ..graph.hooks import RemovableHandle


class Everywhere:
    """The hooks of all modules."""

    def __init__(self):
        self.forward, self.forward_pre = OrderedDict(), OrderedDict()
        self.forward_with_kwargs, self.forward_always = OrderedDict(), OrderedDict()
        self.backward, self.backward_pre = OrderedDict(), OrderedDict()
        self.full_backward = None  # whether the backward hooks are full ones; None as long as there is none
        self.parameters, self.buffers, self.modules = OrderedDict(), OrderedDict(), OrderedDict()


EVERYWHERE = Everywhere()


def register_module_forward_pre_hook(hook):
    """Call `hook(module, args)` before the forward of every module; what it returns takes the place of `args`."""
    return RemovableHandle(EVERYWHERE.forward_pre, hook)


def register_module_forward_hook(hook, *, with_kwargs=False, always_call=False):
    """Call `hook(module, args, output)` behind the forward of every module; what it returns takes its place."""
    handle = RemovableHandle(EVERYWHERE.forward, hook,
                             extra_dict=[EVERYWHERE.forward_with_kwargs, EVERYWHERE.forward_always])
    if with_kwargs:
        EVERYWHERE.forward_with_kwargs[handle.id] = True
    if always_call:
        EVERYWHERE.forward_always[handle.id] = True
    return handle


def register_module_backward_hook(hook):
    """Call `hook(module, grad_input, grad_output)` for the last node of every module; deprecated by the full hook."""
    if EVERYWHERE.full_backward is True:
        raise RuntimeError("Cannot use both regular backward hooks and full backward hooks as a global Module hook. "
                           "Please use only one of them.")
    EVERYWHERE.full_backward = False
    return RemovableHandle(EVERYWHERE.backward, hook)


def register_module_full_backward_pre_hook(hook):
    """Call `hook(module, grad_output)` when the gradients of the outputs of any module have been computed."""
    return RemovableHandle(EVERYWHERE.backward_pre, hook)


def register_module_full_backward_hook(hook):
    """Call `hook(module, grad_input, grad_output)` when the gradients of the inputs of any module are known."""
    if EVERYWHERE.full_backward is False:
        raise RuntimeError("Cannot use both regular backward hooks and full backward hooks as a global Module hook. "
                           "Please use only one of them.")
    EVERYWHERE.full_backward = True
    return RemovableHandle(EVERYWHERE.backward, hook)


def register_module_buffer_registration_hook(hook):
    """Call `hook(module, name, buffer)` when any module registers a buffer; it may return a replacement."""
    return RemovableHandle(EVERYWHERE.buffers, hook)


def register_module_module_registration_hook(hook):
    """Call `hook(module, name, submodule)` when any module registers another; it may return a replacement."""
    return RemovableHandle(EVERYWHERE.modules, hook)


def register_module_parameter_registration_hook(hook):
    """Call `hook(module, name, param)` when any module registers a parameter; it may return a replacement."""
    return RemovableHandle(EVERYWHERE.parameters, hook)


def replaced(hooks, module, name, value):
    """A value that is registered, after the hooks of that."""
    for hook in hooks.values():
        found = hook(module, name, value)
        if found is not None:
            value = found
    return value
