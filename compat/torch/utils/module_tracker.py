"""torch.utils.module_tracker: which modules run, forward or backward."""

from weakref import WeakKeyDictionary as _WeakKeyDictionary

from .._impl.engine.callbacks import Engine as _Engine
from .._impl.graph_view.graph_tools import register_multi_grad_hook as _register_multi_grad_hook
from .._impl.graph_view.running import current_graph_task_id as _current_graph_task_id
from .._impl.module.global_hooks import (
    register_module_forward_hook as _register_forward_hook,
    register_module_forward_pre_hook as _register_forward_pre_hook,
)
from .._impl.types.pytree import tree_leaves as _tree_leaves
from .._impl.types.tensor_type import TensorBase as _TensorBase

__all__ = ["ModuleTracker"]


class ModuleTracker:
    """Keep the names of the modules that run in `parents`, in a `with`; `Global` is always there.

    >>> import covector.compat.torch as torch
    >>> from covector.compat.torch.utils.module_tracker import ModuleTracker
    >>> layer = torch.nn.ReLU()
    >>> with ModuleTracker() as tracker:
    ...     _ = layer.register_forward_pre_hook(lambda *_: print(sorted(tracker.parents)))
    ...     _ = layer(torch.ones(1))
    ['Global', 'ReLU']
    """

    def __init__(self):
        self.parents = {"Global"}
        self._names = _WeakKeyDictionary()
        self._queued = False
        self._handles = []

    def __enter__(self):
        self._handles += [_register_forward_pre_hook(self._begin), _register_forward_hook(self._end)]
        return self

    def __exit__(self, *exc):
        for handle in self._handles:
            handle.remove()
        self._handles.clear()

    @property
    def is_bw(self):
        """Tell whether a backward pass is running."""
        return _current_graph_task_id() != -1

    def _name(self, module):
        if module not in self._names:
            self._name_all(module, type(module).__name__)
        return self._names[module]

    def _name_all(self, module, name):
        self._names[module] = name
        for key, child in module.named_children():
            self._name_all(child, f"{name}.{key}")

    def _begin(self, module, args):
        name = self._name(module)
        self.parents.add(name)
        self._at_gradients(args, lambda *_: self.parents.discard(name))

    def _end(self, module, args, output):
        name = self._name(module)
        self.parents.discard(name)

        def enter(*_):
            if not self._queued:
                self._queued = True
                _Engine.queue_callback(self._forget)
            self.parents.add(name)

        self._at_gradients(output, enter)

    def _at_gradients(self, values, hook):
        """Run a hook when the gradients of tensors are there."""
        tensors = [t for t in _tree_leaves(values) if isinstance(t, _TensorBase) and t.requires_grad]
        if tensors:
            self._handles.append(_register_multi_grad_hook(tensors, hook))

    def _forget(self):
        self.parents = {"Global"}
        self._queued = False
