"""torch.nn.modules.module: Module, and the hooks of all modules."""

from ..._impl.module.global_hooks import (
    EVERYWHERE as _EVERYWHERE,
    register_module_backward_hook as register_module_backward_hook,
    register_module_buffer_registration_hook as register_module_buffer_registration_hook,
    register_module_forward_hook as register_module_forward_hook,
    register_module_forward_pre_hook as register_module_forward_pre_hook,
    register_module_full_backward_hook as register_module_full_backward_hook,
    register_module_full_backward_pre_hook as register_module_full_backward_pre_hook,
    register_module_module_registration_hook as register_module_module_registration_hook,
    register_module_parameter_registration_hook as register_module_parameter_registration_hook,
)
from ..._impl.module.module import Module as Module
from ..._impl.module.state_dict import EXTRA as _EXTRA, _IncompatibleKeys as _IncompatibleKeys
from ..._impl.module.traversal import indented as _indented

_EXTRA_STATE_KEY_SUFFIX = _EXTRA
_global_forward_hooks, _global_forward_pre_hooks = _EVERYWHERE.forward, _EVERYWHERE.forward_pre
_global_backward_hooks, _global_backward_pre_hooks = _EVERYWHERE.backward, _EVERYWHERE.backward_pre


def _addindent(s_, numSpaces):  # noqa: N803
    return _indented(s_) if numSpaces == 2 else s_.replace("\n", "\n" + numSpaces * " ")
