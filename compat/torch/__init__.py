"""PyTorch's surface on covector: tensors with `.grad`, `backward`, hooks, modes, and the operations on them.

>>> import covector.compat.torch as torch
>>> x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
>>> (x ** 2).sum().backward()
>>> x.grad
tensor([2., 4., 6.])
"""

from . import accumulate as _accumulate, ops as _ops, surface as _surface  # isort: skip
from . import attributes as _attributes, conversion as _conversion, facts as _facts, relaid as _relaid  # isort: skip
from . import overrides, overriding as _overriding, window_functions as _window_functions  # isort: skip
from .creation import (
    arange,
    empty,
    empty_like,
    empty_strided,
    eye,
    full,
    full_like,
    is_tensor,
    linspace,
    logspace,
    ones,
    ones_like,
    range_ as range,
    result_type,
    scalar_tensor,
    zeros,
    zeros_like,
)
from .dlpack import from_dlpack, to_dlpack
from .dtypes import (
    ALIASES as _ALIASES,
    NAMED as _NAMED,
    can_cast,
    dtype,
    get_default_dtype,
    promote_types,
    set_default_dtype,
)
from .from_data import LEGACY as _LEGACY, as_tensor, asarray, from_numpy, frombuffer, tensor
from .grad_mode import (
    enable_grad,
    inference_mode,
    is_grad_enabled,
    is_inference,
    is_inference_mode_enabled,
    no_grad,
    set_grad_enabled,
)
from .limits import finfo, iinfo
from .once import is_warn_always_enabled, set_warn_always
from .printing import set_printoptions
from .random import (
    Generator,
    bernoulli,
    default_generator,
    get_rng_state,
    initial_seed,
    manual_seed,
    multinomial,
    normal,
    poisson,
    rand,
    rand_like,
    randint,
    randint_like,
    randn,
    randn_like,
    randperm,
    seed,
    set_rng_state,
)
from .serialization import load, save
from .size import (
    Size,
    channels_last,
    channels_last_3d,
    contiguous_format,
    device,
    layout,
    memory_format,
    preserve_format,
    strided,
)
from .storage import TypedStorage, UntypedStorage
from .tensor import Tensor

from .autograd.anomaly_mode import is_anomaly_check_nan_enabled, is_anomaly_enabled, set_anomaly_enabled  # isort: skip
from . import container as _container, forward_ad as _forward_ad, nans as _nans  # isort: skip
from . import autograd, cuda, fft, func, linalg, masked, nn, signal, special, testing, utils  # isort: skip (they read the operations registered above)

globals().update(_facts.PUBLIC)
globals().update({f.__name__: _overriding.dispatching(f) for f in (
    empty_like, full_like, ones_like, rand_like, randint_like, randn_like, zeros_like)})
globals().update(_LEGACY)
globals().update(_NAMED)
globals().update(_ALIASES)
globals().update(_surface.names(""))
globals().update({
    _name: _overriding.dispatching(_surface.explained(_name, _fun)) for _name, _fun in _ops.PLAIN.items()})
globals().update({_name: _surface.explained(_name, globals()[_name]) for _name in _surface.FACTORIES})
globals().update(_window_functions.TOP)
globals().update(vmap=func.vmap)
__getattr__ = _surface.getter("", "torch")
