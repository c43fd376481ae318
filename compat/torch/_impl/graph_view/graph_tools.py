"""torch.autograd.graph: nodes, edges, and hooks around saved values and several gradients."""

import contextlib
import functools
from collections.abc import Iterable
from threading import Lock
from weakref import WeakKeyDictionary, WeakSet, WeakValueDictionary

from ..engine.gradient_edge import GradientEdge
from ..engine.graph_task import RUNNING, reached, running
from ..graph import versions
from ..graph.node_errors import modified
from ..modes.context import Context
from ..modes.engine_switches import set_warn_on_accumulate_grad_stream_mismatch
from ..modes.modes import enter, leave, modes, set_modes
from ..saved.saved import Packing, SavedTensor
from ..state.edges import edge
from ..types.arrays import ARRAYS, address
from ..types.tensor_type import TensorBase, bottom, needs_grad, shape_dtype, wrap
from .shown_node import ShownNode, shown

Node = ShownNode


def increment_version(tensor):
    """Record a write that was not seen, as one by another library: what was saved of the tensor before is refused.

    Args:
        tensor: a tensor, or several.
    Raises:
        RuntimeError: something else.

    >>> import covector.compat.torch as torch
    >>> x = torch.ones(2)
    >>> torch.autograd.graph.increment_version(x)
    >>> x._version
    1
    """
    if not isinstance(tensor, TensorBase | Iterable):
        raise RuntimeError(f"increment_version expect a Iterable[Tensor] as input, not {type(tensor).__name__}")
    for t in (tensor,) if isinstance(tensor, TensorBase) else tuple(tensor):
        if not isinstance(t, TensorBase):
            raise RuntimeError("increment_version expects each element of the iterable to be a tensor, not "
                               f"{type(t).__name__}")
        versions.bump(bottom(t))


class saved_tensors_hooks(Context):  # noqa: N801 (torch's name)
    """Run `pack_hook(tensor)` on each tensor that is saved inside, and `unpack_hook(packed)` when it is needed.

    >>> import covector.compat.torch as torch
    >>> x = torch.tensor(3.0, requires_grad=True)
    >>> with torch.autograd.graph.saved_tensors_hooks(lambda t: t.detach() * 2, lambda p: p / 2):
    ...     y = x.exp() * x
    >>> y.backward()
    """

    def __init__(self, pack_hook, unpack_hook):
        self.pair = Packing(pack_hook, unpack_hook)
        self.outer = None

    def begin(self):
        m = modes()
        if m.hooks_disabled is not None:
            raise RuntimeError(m.hooks_disabled)
        if not all(map(callable, self.pair)):
            raise TypeError("saved_tensors_hooks needs two functions, but got "
                            f"{' and '.join([type(hook).__name__ for hook in self.pair])}")
        set_modes(hooks=(*m.hooks, self.pair))

    def end(self):
        if self.outer is None:
            self.outer = modes().hooks[:-1]  # the innermost go, as in PyTorch, and nothing else of the modes changes
        set_modes(hooks=self.outer)
        self.outer = None


class save_on_cpu(saved_tensors_hooks):  # noqa: N801 (torch's name)
    """Keep saved tensors in the CPU's memory. They already are: no copy is made, unless `pin_memory` is set.

    A write to a saved tensor raises, as it does without the context.
    """

    def __init__(self, pin_memory=False, device_type="cuda"):
        if pin_memory:
            super().__init__(lambda t: t.detach().clone(), lambda t: t)
        else:
            super().__init__(lambda t: (t, t._version), _unwritten)


def _unwritten(packed):
    tensor, version = packed
    if tensor._version != version:
        raise RuntimeError(
            "one of the variables needed for gradient computation has been modified by an inplace operation: "
            f"[{tensor.type()} {list(tensor.shape)}], saved under save_on_cpu, is at version {tensor._version}; "
            f"expected version {version} instead. Clone it before writing to it.")
    return tensor


@contextlib.contextmanager
def disable_saved_tensors_hooks(error_message):
    """Raise with a message if saved-tensor hooks are registered inside."""
    m = modes()
    if m.hooks:
        raise RuntimeError(error_message)
    entered = enter(hooks_disabled=error_message)
    try:
        yield
    finally:
        try:
            leave(entered)
        except BaseException:  # a signal
            leave(entered)
            raise


class _AllowMutationOnSavedContext:
    """Context of `allow_mutation_on_saved_tensors`: saved tensors, each copied once before the first write."""

    def __init__(self):
        self.clear()

    def pack(self, t):
        """One handle for all saves of the same elements of a memory; it dies with the graphs that hold it."""
        if type(t.value) not in ARRAYS:  # of another layout, or a value of a level
            handle = _Handle()
            self.cloned[handle] = t.detach().clone()
            return handle
        memory, version = address(versions.root_of(t.value)), t._version
        key = (memory, version, t.data_ptr(), t.shape, t.stride(), t.dtype)
        handle = self.handles.get(key)
        if handle is None:
            self.handles[key] = handle = _Handle()
            self.original[handle] = t.detach(), version
            self.by_memory.setdefault(memory, WeakSet()).add(handle)
        return handle

    def before_write(self, t):
        """Copy what was saved of the memory of a tensor that is about to be written to."""
        array = bottom(t)
        if not self.by_memory or type(array) not in ARRAYS:
            return
        for handle in self.by_memory.pop(address(versions.root_of(array)), ()):
            self.cloned[handle] = wrap(self.original.pop(handle)[0].value.copy(order="K"))

    def unpack(self, handle):
        """The saved tensor; refused outside the context."""
        if modes().mutable_saved is not self or handle not in self.cloned and handle not in self.original:
            raise AssertionError("Trying to backward outside of the 'allow_mutation_on_saved_tensors' contextin which "
                                 "the graph was originally recorded.")
        if handle in self.cloned:
            return self.cloned[handle]
        tensor, version = self.original[handle]
        if tensor._version != version:  # by another library, or through an array of NumPy
            raise modified(tensor.value, (tensor._version, version), "")
        return tensor

    def clear(self):
        """Forget what was saved."""
        self.cloned, self.original = WeakKeyDictionary(), WeakKeyDictionary()
        self.handles = WeakValueDictionary()
        self.by_memory = {}


class _Handle:
    """Stands for a saved tensor."""

    __slots__ = ("__weakref__",)


@contextlib.contextmanager
def allow_mutation_on_saved_tensors():
    """Allow writes to saved tensors inside: the saved values are kept as they were.

    >>> import covector.compat.torch as torch
    >>> x = torch.tensor([1.0, 2.0], requires_grad=True)
    >>> with torch.autograd.graph.allow_mutation_on_saved_tensors():
    ...     y = x.clone()
    ...     loss = (y * y).sum()
    ...     _ = y.zero_()
    ...     loss.backward()
    >>> x.grad
    tensor([2., 4.])
    """
    if modes().mutable_saved is not None:
        raise RuntimeError("allow_mutation_on_saved_tensors contexts cannot be nested")
    context = _AllowMutationOnSavedContext()
    m = modes()
    if m.hooks_disabled is not None:
        raise RuntimeError(m.hooks_disabled)
    entered = enter(mutable_saved=context, hooks=(*m.hooks, Packing(context.pack, context.unpack)))
    try:
        yield context
    finally:
        try:
            context.clear()
            leave(entered)
        except BaseException:  # a signal
            leave(entered)
            raise


class _MultiHandle:
    """Removes the hooks on several tensors."""

    def __init__(self, handles):
        self.handles = tuple(handles)

    def remove(self):
        """Take the hooks away."""
        for handle in self.handles:
            handle.remove()

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        self.remove()


def get_gradient_edge(tensor):
    """The edge that leads to a tensor's history; for a leaf, its accumulator.

    >>> import covector.compat.torch as torch
    >>> x = torch.tensor(3.0, requires_grad=True)
    >>> torch.autograd.grad(x * x, torch.autograd.graph.get_gradient_edge(x))
    (tensor(6.),)
    """
    if not tensor.requires_grad:
        raise RuntimeError("It is not possible to get the gradient edge for a Tensor that does not require gradients")
    node = edge(tensor)
    if node.lost:
        raise AssertionError("Expected gradient function to be set")
    found = GradientEdge(*shown(node))
    if found.node is not node:
        found = found._replace(ownership_token=node)
    found.like = shape_dtype(tensor)
    return found


def register_multi_grad_hook(tensors, fn, *, mode="all"):
    """Call `fn` when the gradients of all tensors are computed (a list, None for those the backward pass does not
    reach), or when the first of them is."""
    if mode not in ("all", "any"):
        raise ValueError(f"Expects mode to be one of ('all', 'any') but got {mode}")
    lock = Lock()
    tensors = tuple(tensors)
    if mode == "all":
        if not all(isinstance(t, GradientEdge) or needs_grad(t) for t in tensors):
            raise AssertionError("Expected gradient function to be set")
        counts, buffers = {}, {}

        def inner(index, grad):
            key = running()
            with lock:
                seen = buffers.setdefault(key, [None] * len(tensors))
                if key not in counts:
                    counts[key] = reached(tensors)
                seen[index] = grad
                counts[key] -= 1
                done = counts[key] == 0
                if done:
                    buffers.pop(key)
                    counts.pop(key)
            if done:
                fn(seen)

        return _MultiHandle([t.register_hook(functools.partial(inner, i)) for i, t in enumerate(tensors)])

    def first(grad):
        sweep = RUNNING.get()
        if sweep.called is None:
            sweep.called = set()
        if first not in sweep.called:
            sweep.called.add(first)
            fn(grad)

    return _MultiHandle([t.register_hook(first) for t in tensors if needs_grad(t)])


__all__ = ["GradientEdge", "Node", "SavedTensor", "allow_mutation_on_saved_tensors",
           "disable_saved_tensors_hooks", "get_gradient_edge", "increment_version", "register_multi_grad_hook",
           "save_on_cpu", "saved_tensors_hooks", "set_warn_on_accumulate_grad_stream_mismatch"]
