"""PyTorch's surface on covector: tensors with `.grad`, `backward`, hooks, modes, and the operations on them.

>>> import covector.compat.torch as torch
>>> x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
>>> (x ** 2).sum().backward()
>>> x.grad
tensor([2., 4., 6.])
"""

from ..._engine import LazyModule
from . import (
    autograd,
    cuda,
    fft,
    func,
    linalg,
    masked,
    nn,
    ops,
    overrides,
    random,
    return_types,
    serialization,
    signal,
    special,
    storage,
    testing,
    utils,
)
from ._impl import told as _told
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
from ._impl.installing.install import install
from ._impl.interchange.dlpack import from_dlpack, to_dlpack
from ._impl.modes.anomaly_mode import is_anomaly_check_nan_enabled, is_anomaly_enabled, set_anomaly_enabled
from ._impl.modes.grad_mode import (
    enable_grad,
    inference_mode,
    is_grad_enabled,
    is_inference,
    is_inference_mode_enabled,
    no_grad,
    set_grad_enabled,
)
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
from .func import vmap
from .random import Generator, default_generator, get_rng_state, initial_seed, manual_seed, seed, set_rng_state
from .serialization import load, save
from .storage import TypedStorage, UntypedStorage
from .torch_version import __version__ as __version__

globals().update(_NAMES)
tensor, as_tensor, asarray, empty_strided = map(_asks_modes, (tensor, as_tensor, asarray, empty_strided))
can_cast, promote_types, result_type = map(_asks_modes, (can_cast, promote_types, result_type))
_surface.publish(globals())
_LATER = {
    "__config__": LazyModule("covector.compat.torch.__config__"),
    "_C": LazyModule("covector.compat.torch._C"),
    "_utils": LazyModule("covector.compat.torch._utils"),
    "_ops": LazyModule("covector.compat.torch._ops"),
    "_tensor": LazyModule("covector.compat.torch._tensor"),
    "_VF": LazyModule("covector.compat.torch._VF"),
    "_higher_order_ops": LazyModule("covector.compat.torch._higher_order_ops"),
    "_dynamo": LazyModule("covector.compat.torch._dynamo"),
    "accelerator": LazyModule("covector.compat.torch.accelerator"),
    "amp": LazyModule("covector.compat.torch.amp"),
    "backends": LazyModule("covector.compat.torch.backends"),
    "compiler": LazyModule("covector.compat.torch.compiler"),
    "cpu": LazyModule("covector.compat.torch.cpu"),
    "distributed": LazyModule("covector.compat.torch.distributed"),
    "distributions": LazyModule("covector.compat.torch.distributions"),
    "functional": LazyModule("covector.compat.torch.functional"),
    "futures": LazyModule("covector.compat.torch.futures"),
    "export": LazyModule("covector.compat.torch.export"),
    "fx": LazyModule("covector.compat.torch.fx"),
    "jit": LazyModule("covector.compat.torch.jit"),
    "library": LazyModule("covector.compat.torch.library"),
    "mps": LazyModule("covector.compat.torch.mps"),
    "multiprocessing": LazyModule("covector.compat.torch.multiprocessing"),
    "nested": LazyModule("covector.compat.torch.nested"),
    "onnx": LazyModule("covector.compat.torch.onnx"),
    "optim": LazyModule("covector.compat.torch.optim"),
    "package": LazyModule("covector.compat.torch.package"),
    "profiler": LazyModule("covector.compat.torch.profiler"),
    "quantization": LazyModule("covector.compat.torch.quantization"),
    "quasirandom": LazyModule("covector.compat.torch.quasirandom"),
    "sparse": LazyModule("covector.compat.torch.sparse"),
    "torch": LazyModule("covector.compat.torch"),  # PyTorch's module has itself, and programs write so
    "torch_version": LazyModule("covector.compat.torch.torch_version"),
    "types": LazyModule("covector.compat.torch.types"),
    "version": LazyModule("covector.compat.torch.version"),
    "xpu": LazyModule("covector.compat.torch.xpu"),
}
_sparse = LazyModule("covector.compat.torch._impl.sparse.room")
_cells = LazyModule("covector.compat.torch._impl.module.cells")
_low_rank = LazyModule("covector.compat.torch._impl.module.low_rank")
_assertions = LazyModule("covector.compat.torch._impl.platform.assertions")
_sequences = LazyModule("covector.compat.torch._impl.module.sequences")
_PARTS = dict.fromkeys(
    ("_weight_norm", "gru_cell", "lstm_cell", "norm_except_dim", "rnn_relu_cell", "rnn_tanh_cell"), _cells)
_PARTS |= dict.fromkeys(("gru", "lstm", "rnn_relu", "rnn_tanh"), _sequences)
_PARTS |= dict.fromkeys(("pca_lowrank", "svd_lowrank"), _low_rank)
_PARTS |= dict.fromkeys(("dsmm", "sparse_coo_tensor", "spmm"), _sparse)
_PARTS |= dict.fromkeys("""AcceleratorError Event OutOfMemoryError PyTorchFileReader PyTorchFileWriter Stream SymBool
SymFloat SymInt _assert _assert_async _check _check_index _check_is_size _check_not_implemented _check_tensor_all
_check_tensor_all_with _check_type _check_value _check_with
""".split(), _assertions)
_PARTS |= dict.fromkeys(("ScriptFunction", "ScriptModule"), LazyModule("covector.compat.torch.jit"))
_PARTS |= dict.fromkeys(
    ("DisableTorchFunction", "DisableTorchFunctionSubclass"), LazyModule("covector.compat.torch._C"))
_PARTS["set_default_tensor_type"] = LazyModule("covector.compat.torch._impl.tensor.type_names")
_PARTS["Future"] = LazyModule("covector.compat.torch._impl.platform.futures")
__getattr__ = _surface.getter("", "torch", _LATER, _PARTS)
__dir__ = _surface.lister(globals(), _LATER)
del LazyModule, _LATER, _asks_modes, _NAMES, _PARTS, _assertions, _cells, _dense_methods, _low_rank, _sequences
del _sparse, _surface, _told
