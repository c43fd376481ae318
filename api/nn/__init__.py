"""Stateless neural-network layers as functions of arrays and traced arrays."""

from ..core.foreign import LAYERS as _LAYERS, missing as _missing
from .activations import (
    celu as celu,
    elu as elu,
    gelu as gelu,
    identity as identity,
    log1mexp as log1mexp,
    log_sigmoid as log_sigmoid,
    mish as mish,
    relu as relu,
    selu as selu,
    sigmoid as sigmoid,
    silu as silu,
    softplus as softplus,
    squareplus as squareplus,
    swish as swish,
    tanh as tanh,
)
from .attention import dot_product_attention as dot_product_attention
from .convolution import conv as conv, conv_transpose as conv_transpose
from .normalisation import layer_norm as layer_norm, one_hot as one_hot, standardize as standardize
from .piecewise import (
    glu as glu,
    hard_sigmoid as hard_sigmoid,
    hard_silu as hard_silu,
    hard_swish as hard_swish,
    hard_tanh as hard_tanh,
    leaky_relu as leaky_relu,
    relu6 as relu6,
    soft_sign as soft_sign,
    sparse_plus as sparse_plus,
    sparse_sigmoid as sparse_sigmoid,
)
from .pooling import avg_pool as avg_pool, max_pool as max_pool
from .softmax import (
    log_softmax as log_softmax,
    logmeanexp as logmeanexp,
    logsumexp as logsumexp,
    softmax as softmax,
    softmax_cross_entropy as softmax_cross_entropy,
)


def __getattr__(name: str) -> object:
    """Say what to use for the names of layers."""
    raise _missing("covector.nn", name, _LAYERS)
