"""nn.Module."""

import warnings
from itertools import chain

from ..graph.hooks import RemovableHandle
from ..platform.compiling import check_options, tell_once
from .backward_hooks import BackwardHook, hook_last_node
from .conversion import Conversion
from .global_hooks import EVERYWHERE
from .registration import Registration
from .state_dict import StateDict
from .traversal import Traversal, fresh_tables

# A module is called: its forward, between the hooks.

_BEFORE, _BEHIND = EVERYWHERE.forward_pre, EVERYWHERE.forward
_BEFORE_BACK, _BACK = EVERYWHERE.backward_pre, EVERYWHERE.backward


class Calls:
    """`module(…)`, and hooks around it."""

    def forward(self, *input):
        """Compute the module's output; a subclass defines it.

        Raises:
            NotImplementedError: it does not.
        """
        raise NotImplementedError(f'Module [{type(self).__name__}] is missing the required "forward" function')

    def __call__(self, *args, **kwargs):
        """Run the hooks, and forward."""
        own = self.__dict__
        try:
            hooked = (own["_forward_hooks"] or own["_forward_pre_hooks"] or own["_backward_hooks"]
                      or own["_backward_pre_hooks"] or _BEFORE or _BEHIND or _BACK or _BEFORE_BACK)
        except KeyError as missing:
            raise AttributeError(f"'{type(self).__name__}' object has no attribute {missing}: its __init__ has to call "
                                 "super().__init__() first") from None
        if not hooked:
            return self.forward(*args, **kwargs)
        return self._call_impl(*args, **kwargs)

    def _call_impl(self, *args, **kwargs):
        done = set()  # forward hooks that ran
        try:
            return self.__call_hooked(args, kwargs, done)
        except Exception:
            for number, hook, with_kwargs, always in self.__hooks_behind():
                if not always or number in done:
                    continue
                try:
                    found = hook(self, args, kwargs, None) if with_kwargs else hook(self, args, None)
                    del found
                except Exception as error:
                    warnings.warn("module forward hook with ``always_call=True`` raised an exception that was silenced "
                                  f"as another error was raised in forward: {error}", stacklevel=2)
            raise

    def __hooks_behind(self):
        """The forward hooks, global ones first: `(number, hook, with_kwargs, always)`."""
        for number, hook in list(EVERYWHERE.forward.items()):
            yield number, hook, number in EVERYWHERE.forward_with_kwargs, number in EVERYWHERE.forward_always
        for number, hook in list(self._forward_hooks.items()):
            yield number, hook, number in self._forward_hooks_with_kwargs, number in self._forward_hooks_always_called

    def __call_hooked(self, args, kwargs, done):
        for number, hook in chain(list(EVERYWHERE.forward_pre.items()), list(self._forward_pre_hooks.items())):
            if number in self._forward_pre_hooks_with_kwargs and number not in EVERYWHERE.forward_pre:
                found = hook(self, args, kwargs)
                if found is None:
                    continue
                if not (isinstance(found, tuple) and len(found) == 2):
                    raise RuntimeError("forward pre-hook must return None or a tuple of (new_args, new_kwargs), but "
                                       f"got {found}.")
                args, kwargs = found
            else:
                found = hook(self, args)
                if found is not None:
                    args = found if isinstance(found, tuple) else (found,)
        full, last, before = self.__backward_hooks_of()
        around = None
        if full or before:
            around = BackwardHook(self, full, before)
            args = around.setup_input_hook(args)
        output = self.forward(*args, **kwargs)
        for number, hook, with_kwargs, always in self.__hooks_behind():
            if always:
                done.add(number)
            found = hook(self, args, kwargs, output) if with_kwargs else hook(self, args, output)
            if found is not None:
                output = found
        if around is not None:
            output = around.setup_output_hook(output)
        if last:
            hook_last_node(self, last, args, output)
        return output

    def __backward_hooks_of(self):
        """The full backward hooks, those of the old kind, and the backward pre-hooks."""
        full, last = [], []
        (full if EVERYWHERE.full_backward else last).extend(EVERYWHERE.backward.values())
        (full if self._is_full_backward_hook else last).extend(self._backward_hooks.values())
        return full, last, [*EVERYWHERE.backward_pre.values(), *self._backward_pre_hooks.values()]

    def _get_backward_hooks(self):
        full, last, _ = self.__backward_hooks_of()
        return full, last

    def _get_backward_pre_hooks(self):
        return self.__backward_hooks_of()[2]

    def register_forward_pre_hook(self, hook, *, prepend=False, with_kwargs=False):
        """Call `hook(module, args)` before forward; what it returns takes the place of `args`.

        Args:
            hook: `hook(module, args, kwargs)` with `with_kwargs`, which returns None or `(args, kwargs)`.
            prepend: whether it runs before the hooks that are there.
        """
        handle = RemovableHandle(self._forward_pre_hooks, hook, extra_dict=self._forward_pre_hooks_with_kwargs)
        if with_kwargs:
            self._forward_pre_hooks_with_kwargs[handle.id] = True
        if prepend:
            self._forward_pre_hooks.move_to_end(handle.id, last=False)
        return handle

    def register_forward_hook(self, hook, *, prepend=False, with_kwargs=False, always_call=False):
        """Call `hook(module, args, output)` behind forward; what it returns takes the place of the output.

        Args:
            hook: `hook(module, args, kwargs, output)` with `with_kwargs`.
            prepend: whether it runs before the hooks that are there.
            always_call: whether it also runs, with the output None, when forward or a hook raises.
        """
        handle = RemovableHandle(self._forward_hooks, hook, extra_dict=[
            self._forward_hooks_with_kwargs, self._forward_hooks_always_called])
        if with_kwargs:
            self._forward_hooks_with_kwargs[handle.id] = True
        if always_call:
            self._forward_hooks_always_called[handle.id] = True
        if prepend:
            self._forward_hooks.move_to_end(handle.id, last=False)
        return handle

    def register_full_backward_pre_hook(self, hook, prepend=False):
        """Call `hook(module, grad_output)` when the gradients of the outputs are known; it may return others."""
        handle = RemovableHandle(self._backward_pre_hooks, hook)
        if prepend:
            self._backward_pre_hooks.move_to_end(handle.id, last=False)
        return handle

    def register_full_backward_hook(self, hook, prepend=False):
        """Call `hook(module, grad_input, grad_output)` when the gradients of the inputs are known; it may return
        others."""
        self.__one_kind_of_backward_hook(True)
        handle = RemovableHandle(self._backward_hooks, hook)
        if prepend:
            self._backward_hooks.move_to_end(handle.id, last=False)
        return handle

    def register_backward_hook(self, hook):
        """Call `hook(module, grad_input, grad_output)` at the last node of the module; deprecated by the full hook."""
        self.__one_kind_of_backward_hook(False)
        return RemovableHandle(self._backward_hooks, hook)

    def __one_kind_of_backward_hook(self, full):
        if self._is_full_backward_hook is not None and self._is_full_backward_hook is not full:
            raise RuntimeError("Cannot use both regular backward hooks and full backward hooks on a single Module. "
                               "Please use only one of them.")
        self._is_full_backward_hook = full


class Module(Calls, Registration, Traversal, StateDict, Conversion):
    """The base of all layers and networks: it knows its parameters, buffers and the modules below it.

    A subclass calls `super().__init__()`, assigns parameters and modules as attributes, and defines `forward`.

    >>> import covector.compat.torch as torch
    >>> class Scale(torch.nn.Module):
    ...     def __init__(self):
    ...         super().__init__()
    ...         self.factor = torch.nn.Parameter(torch.tensor(2.0))
    ...     def forward(self, x):
    ...         return self.factor * x
    >>> m = Scale()
    >>> m(torch.tensor(3.0)).backward()
    >>> m.factor.grad
    tensor(3.)
    >>> dict(m.state_dict())
    {'factor': tensor(2.)}
    """

    __module__ = f"{__name__.partition('._impl')[0]}.nn.modules.module"

    _version = 1
    dump_patches = False
    call_super_init = False
    _compiled_call_impl = None

    def __setstate__(self, state):
        self.__dict__.update(state)
        fresh_tables(self)

    def __getstate__(self):
        state = self.__dict__.copy()
        state.pop("_compiled_call_impl", None)
        return state

    def _replicate_for_data_parallel(self):
        """A shallow copy without parameters, as DataParallel makes one for each device; the rest is shared."""
        replica = self.__new__(type(self))
        replica.__dict__ = self.__dict__.copy()
        replica._parameters = {}
        replica._buffers = self._buffers.copy()
        replica._modules = self._modules.copy()
        replica._is_replica = True
        return replica

    def compile(self, *args, **kwargs):
        """Do nothing but warn, once: modules run as they are. The arguments are those of `torch.compile`."""
        check_options(*args, **kwargs)
        tell_once("Module.compile", stacklevel=3)
