"""Layers of neural networks as functions of arrays and traced arrays; they keep no state."""

from .activations import (
    elu as elu,
    gelu as gelu,
    log_sigmoid as log_sigmoid,
    relu as relu,
    selu as selu,
    sigmoid as sigmoid,
    silu as silu,
    softplus as softplus,
    tanh as tanh,
)
from .attention import dot_product_attention as dot_product_attention
from .convolution import conv as conv, conv_transpose as conv_transpose
from .losses import softmax_cross_entropy as softmax_cross_entropy
from .normalisation import layer_norm as layer_norm, one_hot as one_hot, standardize as standardize
from .pooling import avg_pool as avg_pool, max_pool as max_pool
from .softmax import log_softmax as log_softmax, logsumexp as logsumexp, softmax as softmax
