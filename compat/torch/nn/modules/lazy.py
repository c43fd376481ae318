"""torch.nn.modules.lazy: modules that take the shapes of their parameters from their first input."""

from ..._impl.module.held_tensors import is_lazy
from ..._impl.module.state_dict import persistent
from ..._impl.types.size import Size


class LazyModuleMixin:
    """The lazy part of a module beside the layer that it becomes: `class LazyX(LazyModuleMixin, X)`.

    A subclass has `cls_to_become`, and `initialize_parameters(*args)`, which materializes what is uninitialized.
    """

    cls_to_become = None

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self._load_hook = self._register_load_state_dict_pre_hook(self._lazy_load_hook)
        self._initialize_hook = self.register_forward_pre_hook(self._infer_parameters, with_kwargs=True)

    def _save_to_state_dict(self, destination, prefix, keep_vars):
        for name, value in persistent(self):
            if value is not None:
                destination[prefix + name] = value if keep_vars or is_lazy(value) else value.detach()

    def _lazy_load_hook(self, state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs):
        """Give what is uninitialized the shapes of the tensors that are loaded."""
        for name, value in persistent(self):
            given = state_dict.get(prefix + name)
            if value is not None and given is not None and is_lazy(value) and not is_lazy(given):
                value.materialize(Size(given.shape))

    def initialize_parameters(self, *args, **kwargs):
        """Materialize the parameters for the arguments of forward; a subclass defines it."""
        raise NotImplementedError(f"initialize_parameters is not implemented for {type(self).__name__}")

    def has_uninitialized_params(self):
        """Tell whether a parameter or buffer has no shape yet."""
        return any(map(is_lazy, (*self._parameters.values(), *self._buffers.values())))

    def _infer_parameters(self, module, args, kwargs=None):
        """A hook before forward: it makes of the module the layer that it becomes."""
        module.initialize_parameters(*args, **(kwargs or {}))
        if module.has_uninitialized_params():
            raise RuntimeError(f"module {self._get_name()} has not been fully initialized")
        module._initialize_hook.remove()
        module._load_hook.remove()
        del module._initialize_hook, module._load_hook
        if module.cls_to_become is not None:
            module.__class__ = module.cls_to_become

    def _replicate_for_data_parallel(self):
        raise RuntimeError("Modules with uninitialized parameters can't be used with `DataParallel`. Run a dummy "
                           "forward pass to correctly initialize the modules")
