"""PyTorch's surface on covector: tensors with `.grad`, `backward`, hooks, modes, and the operations on them.

>>> import covector.compat.torch as torch
>>> x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
>>> (x ** 2).sum().backward()
>>> x.grad
tensor([2., 4., 6.])
"""

import sys as _sys

from ._impl import module_loader as _module_loader, told as _told
from ._impl.dispatch import surface as _surface
from ._impl.dispatch.telling import asks_modes as _asks_modes
from ._impl.factories.creation import (
    empty,
    empty_strided,
    eye,
    full,
    is_tensor,
    ones,
    result_type,
    scalar_tensor,
    zeros,
)
from ._impl.factories.from_data import as_tensor, asarray, from_numpy, frombuffer, tensor
from ._impl.factories.ranges import arange, linspace, logspace, range_ as range
from ._impl.func.control_flow import cond, while_loop
from ._impl.modes.anomaly_mode import is_anomaly_check_nan_enabled, is_anomaly_enabled, set_anomaly_enabled
from ._impl.modes.grad_mode import is_grad_enabled, is_inference, is_inference_mode_enabled
from ._impl.modes.warnings import is_warn_always_enabled, set_warn_always
from ._impl.module.compiled import compile  # noqa: A004 (torch's name)
from ._impl.platform.autocast import (
    autocast,
    autocast_decrement_nesting,
    autocast_increment_nesting,
    clear_autocast_cache,
    get_autocast_cpu_dtype,
    get_autocast_dtype,
    get_autocast_gpu_dtype,
    is_autocast_cache_enabled,
    is_autocast_cpu_enabled,
    is_autocast_enabled,
    set_autocast_cache_enabled,
    set_autocast_cpu_dtype,
    set_autocast_cpu_enabled,
    set_autocast_dtype,
    set_autocast_enabled,
    set_autocast_gpu_dtype,
)
from ._impl.platform.determinism import (
    are_deterministic_algorithms_enabled,
    get_deterministic_debug_mode,
    get_float32_matmul_precision,
    is_deterministic_algorithms_warn_only_enabled,
    set_deterministic_debug_mode,
    set_float32_matmul_precision,
    use_deterministic_algorithms,
)
from ._impl.platform.install import install
from ._impl.public_names import NAMES as _NAMES
from ._impl.random.sampling import rand, randint, randn, randperm
from ._impl.sparse import dense_methods as _dense_methods
from ._impl.tensor.printing import set_printoptions
from ._impl.types.dtypes import can_cast, dtype, get_default_dtype, promote_types, set_default_dtype
from ._impl.types.limits import finfo, iinfo
from ._impl.types.size import (
    Size,
    channels_last,
    channels_last_3d,
    contiguous_format,
    device,
    layout,
    memory_format,
    preserve_format,
    sparse_bsc,
    sparse_bsr,
    sparse_coo,
    sparse_csc,
    sparse_csr,
    strided,
)
from ._impl.types.tensor_type import Tensor
from .autograd.grad_mode import enable_grad, inference_mode, no_grad, set_grad_enabled
from .func import vmap
from .random import Generator, default_generator, get_rng_state, initial_seed, manual_seed, seed, set_rng_state
from .serialization import load, save
from .storage import TypedStorage, UntypedStorage
from .torch_version import __version__ as __version__
from .utils.dlpack import from_dlpack, to_dlpack

# Functions that torch has too say that they are of these modules.
from . import __config__, linalg, special  # isort: skip
from .nn import functional as _functional  # isort: skip

globals().update(_NAMES)
tensor, as_tensor, asarray, empty_strided = map(_asks_modes, (tensor, as_tensor, asarray, empty_strided))
can_cast, promote_types, result_type = map(_asks_modes, (can_cast, promote_types, result_type))
_surface.publish(globals())
torch = _sys.modules[__name__]  # PyTorch's module has itself, and programs write so
__getattr__, __dir__ = _surface.look_up("", """
    _impl.module.sequences: _weight_norm gru_cell lstm_cell norm_except_dim rnn_relu_cell rnn_tanh_cell
    _impl.module.low_rank: pca_lowrank svd_lowrank
    _impl.module.sequences: gru lstm rnn_relu rnn_tanh
    cuda: AcceleratorError OutOfMemoryError
    _impl.platform.grad_scaler: GradScaler
    _impl.platform.assertions: Event PyTorchFileReader PyTorchFileWriter Stream
        SymBool SymFloat SymInt _assert _assert_async _check _check_index _check_is_size _check_not_implemented
        _check_tensor_all _check_tensor_all_with _check_type _check_value _check_with
    futures: Future
    _impl.sparse.room: dsmm sparse_coo_tensor spmm
    _impl.tensor.type_names: set_default_tensor_type
    _C: DisableTorchFunction DisableTorchFunctionSubclass
    jit: ScriptFunction ScriptModule""")
del _NAMES, _asks_modes, _dense_methods, _functional, _module_loader, _surface, _sys, _told
