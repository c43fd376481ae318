"""Walks over the modules below a module, and what is done to all of them."""

from collections import OrderedDict
from itertools import chain


class Traversal:
    """Iterators over the tree of a module, and its repr."""

    def _named_members(self, get_members_fn, prefix="", recurse=True, remove_duplicate=True):
        seen = set()
        owners = self.named_modules(prefix=prefix, remove_duplicate=remove_duplicate) if recurse else [(prefix, self)]
        for path, module in owners:
            for name, value in get_members_fn(module):
                if value is None or value in seen:
                    continue
                if remove_duplicate:
                    seen.add(value)
                yield path + ("." if path else "") + name, value

    def parameters(self, recurse=True):
        """Iterate over the parameters, of the modules below too where `recurse`."""
        for _, param in self.named_parameters(recurse=recurse):
            yield param

    def named_parameters(self, prefix="", recurse=True, remove_duplicate=True):
        """Iterate over `(name, parameter)`; one that has several names comes once, unless `remove_duplicate=False`."""
        yield from self._named_members(lambda m: m._parameters.items(), prefix, recurse, remove_duplicate)

    def buffers(self, recurse=True):
        """Iterate over the buffers."""
        for _, buffer in self.named_buffers(recurse=recurse):
            yield buffer

    def named_buffers(self, prefix="", recurse=True, remove_duplicate=True):
        """Iterate over `(name, buffer)`."""
        yield from self._named_members(lambda m: m._buffers.items(), prefix, recurse, remove_duplicate)

    def children(self):
        """Iterate over the modules directly below."""
        for _, module in self.named_children():
            yield module

    def named_children(self):
        """Iterate over `(name, module)` directly below, each module once."""
        seen = set()
        for name, module in self._modules.items():
            if module is not None and module not in seen:
                seen.add(module)
                yield name, module

    def modules(self, remove_duplicate=True):
        """Iterate over this module and all below."""
        for _, module in self.named_modules(remove_duplicate=remove_duplicate):
            yield module

    def named_modules(self, memo=None, prefix="", remove_duplicate=True):
        """Iterate over `(name, module)` of this module, whose name is `prefix`, and of all below."""
        memo = set() if memo is None else memo
        if self in memo:
            return
        if remove_duplicate:
            memo.add(self)
        yield prefix, self
        for name, module in self._modules.items():
            if module is not None:
                yield from module.named_modules(memo, prefix + ("." if prefix else "") + name, remove_duplicate)

    def apply(self, fn):
        """Call `fn(module)` for all modules below, and last for this one; returns this module."""
        for module in self.children():
            module.apply(fn)
        fn(self)
        return self

    def train(self, mode=True):
        """Set `training` here and below; returns this module."""
        if not isinstance(mode, bool):
            raise ValueError("training mode is expected to be boolean")
        self.training = mode
        for module in self.children():
            module.train(mode)
        return self

    def eval(self):
        """`train(False)`."""
        return self.train(False)

    def requires_grad_(self, requires_grad=True):
        """Set whether gradients of the parameters are computed; returns this module."""
        for p in self.parameters():
            p.requires_grad_(requires_grad)
        return self

    def zero_grad(self, set_to_none=True):
        """Drop the gradients of the parameters, or set them to zero in place."""
        for p in self.parameters():
            if p.grad is None:
                continue
            if set_to_none:
                p.grad = None
            else:
                p.grad = p.grad.detach() if p.grad.grad_fn is not None else p.grad.requires_grad_(False)
                p.grad.zero_()

    def _get_name(self):
        return type(self).__name__

    def extra_repr(self):
        """The part of the repr beside the class and the submodules; a subclass overrides it."""
        return ""

    def __repr__(self):
        own = self.extra_repr()
        own = own.split("\n") if own else []
        below = [f"({name}): {indented(repr(module))}" for name, module in self._modules.items()]
        if not below and len(own) < 2:
            return f"{self._get_name()}({''.join(own)})"
        lines = chain(own, below)
        return f"{self._get_name()}(\n  " + "\n  ".join(lines) + "\n)"


def indented(text):
    """A text whose lines but the first are indented."""
    return text.replace("\n", "\n  ")


def fresh_tables(module):
    """The tables of hooks that a module of an older pickle lacks."""
    for name in ("_forward_pre_hooks", "_forward_pre_hooks_with_kwargs", "_forward_hooks_with_kwargs",
                 "_forward_hooks_always_called", "_state_dict_hooks", "_state_dict_pre_hooks",
                 "_load_state_dict_pre_hooks", "_load_state_dict_post_hooks", "_backward_pre_hooks"):
        module.__dict__.setdefault(name, OrderedDict())
    module.__dict__.setdefault("_non_persistent_buffers_set", set())
    module.__dict__.setdefault("_is_full_backward_hook", None)
