"""Layers and special functions as functions of `x` of shape (2, 3), for each array library."""

import numpy as np

from covector import nn
from covector.scipy import special


def cubes(x):
    """(2, 2, 3): examples, channels, places."""
    return x[:, :2].reshape((2, 2, 1)) * x.reshape((2, 1, 3)) + 0.7 * x.reshape((2, 1, 3))


def labels(x):
    return (x[:, 0] > 1).astype(np.dtype(np.int64))


def kernels(x):
    return cubes(x)[:, :, :2]


LAYERS = {
    "conv": lambda x: nn.conv(cubes(x), kernels(x), x[0, :2], padding="same"),
    "conv_transpose": lambda x: nn.conv_transpose(cubes(x), kernels(x), stride=2, padding=1, output_padding=1),
    "max_pool": lambda x: nn.max_pool(cubes(x), 2, padding=1),
    "avg_pool": lambda x: nn.avg_pool(cubes(x), 2, padding=1, count_include_pad=False),
    "attention": lambda x: nn.dot_product_attention(x[:, None], (x + 1.0)[:, None], (x * x)[:, None], is_causal=True),
    "masked attention": lambda x: nn.dot_product_attention(
        x[:, None], (x + 1.0)[:, None], (x * x)[:, None], mask=(x @ x.T > 0)[None], local_window_size=1,
        key_value_seq_lengths=np.array(2)),
    "layer_norm": lambda x: nn.layer_norm(cubes(x), x[0]),
    "standardize": lambda x: nn.standardize(x, (0, 1)),
    "standardize, a mean": lambda x: nn.standardize(x, mean=0.5),
    "labels": lambda x: nn.softmax_cross_entropy(x, labels(x)),
    "weights": lambda x: nn.softmax_cross_entropy(x, x * x),
    "one_hot": lambda x: x[:, :2] * nn.one_hot(labels(x), 2),
    "softmax": lambda x: nn.softmax(x, (0, 1)),
    **{name: lambda x, f=getattr(nn, name): f(x)
       for name in "relu gelu silu elu selu softplus sigmoid log_sigmoid tanh".split()},
    "multigammaln": lambda x: special.multigammaln(x * x + 3.0, 3),
    "polygamma": lambda x: special.polygamma(2, x * x + 1.0),
    "logsumexp": lambda x: special.logsumexp(x, axis=1, b=x * x),
    "betainc": lambda x: special.betainc(x * x + 1.0, 2.0, 0.3),
    "gammainc": lambda x: special.gammainc(x * x + 1.0, 1.5),
    "xlogy": lambda x: special.xlogy(x, x * x),
}
