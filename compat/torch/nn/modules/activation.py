"""torch.nn.modules.activation: nonlinear functions as modules, and attention of several heads."""

from ..._impl.module import initialization as init
from ..._impl.module.module import Module
from ..._impl.public_names import F, torch
from ..._impl.types.parameter import Parameter
from .linear import NonDynamicallyQuantizableLinear


class _InPlace(Module):
    """A function of the elements that may write its output into its input."""

    _function = None

    def __init__(self, inplace=False):
        super().__init__()
        self.inplace = inplace

    def forward(self, input):
        function = type(self)._function
        return function(input, inplace=True) if self.inplace else function(input)

    def extra_repr(self):
        return "inplace=True" if self.inplace else ""


class ReLU(_InPlace):
    """`max(x, 0)`.

    >>> import covector.compat.torch as torch
    >>> torch.nn.ReLU()(torch.tensor([-1.0, 2.0]))
    tensor([0., 2.])
    """

    _function = F.relu


class Hardsigmoid(_InPlace):
    """`clip(x + 3, 0, 6) / 6`."""

    _function = F.hardsigmoid

    def extra_repr(self):
        return ""


class SiLU(_InPlace):
    """`x * sigmoid(x)`."""

    _function = F.silu


class Mish(_InPlace):
    """`x * tanh(softplus(x))`."""

    _function = F.mish


class Hardswish(_InPlace):
    """`x * hardsigmoid(x)`."""

    _function = F.hardswish

    def extra_repr(self):
        return ""


class SELU(_InPlace):
    """The scaled ELU of networks that normalize themselves; Klambauer et al. (2017)."""

    _function = F.selu


class _Plain(Module):
    """A function of the elements without parameters."""

    _function = None

    def forward(self, input):
        return type(self)._function(input)


class Sigmoid(_Plain):
    """`1 / (1 + exp(-x))`."""

    _function = torch.sigmoid


class Tanh(_Plain):
    """`tanh(x)`."""

    _function = torch.tanh


class LogSigmoid(_Plain):
    """`log(sigmoid(x))`."""

    _function = F.logsigmoid


class Softsign(_Plain):
    """`x / (1 + abs(x))`."""

    _function = F.softsign


class Tanhshrink(_Plain):
    """`x - tanh(x)`."""

    _function = F.tanhshrink


class Threshold(Module):
    """`x` where it is above `threshold`, else `value`."""

    def __init__(self, threshold, value, inplace=False):
        super().__init__()
        self.threshold = threshold
        self.value = value
        self.inplace = inplace

    def forward(self, input):
        return F.threshold(input, self.threshold, self.value, self.inplace)

    def extra_repr(self):
        return f"threshold={self.threshold}, value={self.value}{', inplace=True' if self.inplace else ''}"


class RReLU(Module):
    """LeakyReLU whose slopes are drawn between `lower` and `upper` in training; their mean in `eval()`."""

    def __init__(self, lower=1.0 / 8, upper=1.0 / 3, inplace=False):
        super().__init__()
        self.lower = lower
        self.upper = upper
        self.inplace = inplace

    def forward(self, input):
        return F.rrelu(input, self.lower, self.upper, self.training, self.inplace)

    def extra_repr(self):
        return f"lower={self.lower}, upper={self.upper}{', inplace=True' if self.inplace else ''}"


class Hardtanh(Module):
    """`clip(x, min_val, max_val)`."""

    def __init__(self, min_val=-1.0, max_val=1.0, inplace=False, min_value=None, max_value=None):
        super().__init__()
        self.min_val = min_val if min_value is None else min_value
        self.max_val = max_val if max_value is None else max_value
        self.inplace = inplace
        if self.max_val <= self.min_val:
            raise AssertionError(f"max_val must be larger than min_val, but got min_val={self.min_val} and "
                                 f"max_val={self.max_val}")

    def forward(self, input):
        return F.hardtanh(input, self.min_val, self.max_val, self.inplace)

    def extra_repr(self):
        return f"min_val={self.min_val}, max_val={self.max_val}{', inplace=True' if self.inplace else ''}"


class ReLU6(Hardtanh):
    """`clip(x, 0, 6)`."""

    def __init__(self, inplace=False):
        super().__init__(0.0, 6.0, inplace)

    def extra_repr(self):
        return "inplace=True" if self.inplace else ""


class _Exponential(Module):
    def __init__(self, alpha=1.0, inplace=False):
        super().__init__()
        self.alpha = alpha
        self.inplace = inplace

    def forward(self, input):
        return type(self)._function(input, self.alpha, self.inplace)

    def extra_repr(self):
        return f"alpha={self.alpha}{', inplace=True' if self.inplace else ''}"


class ELU(_Exponential):
    """`x` where it is positive, else `alpha * (exp(x) - 1)`."""

    _function = F.elu


class CELU(_Exponential):
    """`max(0, x) + min(0, alpha * (exp(x / alpha) - 1))`."""

    _function = F.celu


class LeakyReLU(Module):
    """`x` where it is positive, else `negative_slope * x`."""

    def __init__(self, negative_slope=1e-2, inplace=False):
        super().__init__()
        self.negative_slope = negative_slope
        self.inplace = inplace

    def forward(self, input):
        return F.leaky_relu(input, self.negative_slope, self.inplace)

    def extra_repr(self):
        return f"negative_slope={self.negative_slope}{', inplace=True' if self.inplace else ''}"


class PReLU(Module):
    """LeakyReLU with learned slopes: one, or one for each channel (axis 1)."""

    def __init__(self, num_parameters=1, init=0.25, device=None, dtype=None):
        super().__init__()
        self.num_parameters = num_parameters
        self.init = init
        self.weight = Parameter(torch.empty(num_parameters, device=device, dtype=dtype))
        self.reset_parameters()

    def reset_parameters(self):
        """Set the slopes to `init`."""
        init.constant_(self.weight, self.init)

    def forward(self, input):
        return F.prelu(input, self.weight)

    def extra_repr(self):
        return f"num_parameters={self.num_parameters}"


class GLU(Module):
    """`a * sigmoid(b)` of the two halves along an axis."""

    def __init__(self, dim=-1):
        super().__init__()
        self.dim = dim

    def forward(self, input):
        return F.glu(input, self.dim)

    def extra_repr(self):
        return f"dim={self.dim}"


class GELU(Module):
    """`x * Φ(x)`, Φ the normal distribution function; `approximate="tanh"` for its approximation by tanh."""

    def __init__(self, approximate="none"):
        super().__init__()
        self.approximate = approximate

    def forward(self, input):
        return F.gelu(input, approximate=self.approximate)

    def extra_repr(self):
        return f"approximate={self.approximate!r}"


class _Shrink(Module):
    def __init__(self, lambd=0.5):
        super().__init__()
        self.lambd = lambd

    def forward(self, input):
        return type(self)._function(input, self.lambd)

    def extra_repr(self):
        return f"{self.lambd}"


class Hardshrink(_Shrink):
    """`x` where `abs(x) > lambd`, else 0."""

    _function = F.hardshrink


class Softshrink(_Shrink):
    """`sign(x) * max(abs(x) - lambd, 0)`."""

    _function = F.softshrink


class Softplus(Module):
    """`log(1 + exp(beta * x)) / beta`, and `x` where `beta * x > threshold`."""

    def __init__(self, beta=1.0, threshold=20.0):
        super().__init__()
        self.beta = beta
        self.threshold = threshold

    def forward(self, input):
        return F.softplus(input, self.beta, self.threshold)

    def extra_repr(self):
        return f"beta={self.beta}, threshold={self.threshold}"


class _AlongAxis(Module):
    _function = None

    def __init__(self, dim=None):
        super().__init__()
        self.dim = dim

    def __setstate__(self, state):
        super().__setstate__(state)
        self.__dict__.setdefault("dim", None)

    def forward(self, input):
        return type(self)._function(input, self.dim, _stacklevel=5)

    def extra_repr(self):
        return f"dim={self.dim}"


class Softmax(_AlongAxis):
    """`exp(x) / exp(x).sum(dim)`.

    >>> import covector.compat.torch as torch
    >>> torch.nn.Softmax(dim=0)(torch.zeros(4))
    tensor([0.2500, 0.2500, 0.2500, 0.2500])
    """

    _function = F.softmax


class Softmin(_AlongAxis):
    """Softmax of `-x`."""

    _function = F.softmin


class LogSoftmax(_AlongAxis):
    """The logarithm of Softmax."""

    _function = F.log_softmax


class Softmax2d(Module):
    """Softmax over the channels of images `(N, C, H, W)` or `(C, H, W)`."""

    def forward(self, input):
        if input.dim() not in (3, 4):
            raise ValueError(f"Softmax2d: expected input to be 3D or 4D, got {input.dim()}D instead")
        return F.softmax(input, -3, _stacklevel=5)


# Attention of several heads as a module.


class MultiheadAttention(Module):
    """Attention of several heads; Vaswani et al. (2017).

    Args:
        embed_dim: the length of queries and outputs, which `num_heads` divides.
        dropout: of the weights, in training.
        add_bias_kv, add_zero_attn: whether keys and values get one more entry, learned or zero.
        kdim, vdim: the lengths of keys and values, by default `embed_dim`.
        batch_first: whether inputs are `(N, L, E)`, not `(L, N, E)`.

    >>> import covector.compat.torch as torch
    >>> layer = torch.nn.MultiheadAttention(4, 2, batch_first=True)
    >>> x = torch.ones(3, 5, 4)
    >>> out, weights = layer(x, x, x)
    >>> out.shape, weights.shape
    (torch.Size([3, 5, 4]), torch.Size([3, 5, 5]))
    """

    def __init__(self, embed_dim, num_heads, dropout=0.0, bias=True, add_bias_kv=False, add_zero_attn=False, kdim=None,
                 vdim=None, batch_first=False, device=None, dtype=None):
        if embed_dim <= 0 or num_heads <= 0:
            raise ValueError(f"embed_dim and num_heads must be greater than 0, got embed_dim={embed_dim} and "
                             f"num_heads={num_heads} instead")
        super().__init__()
        self.embed_dim = embed_dim
        self.kdim = kdim if kdim is not None else embed_dim
        self.vdim = vdim if vdim is not None else embed_dim
        self._qkv_same_embed_dim = self.kdim == embed_dim and self.vdim == embed_dim
        self.num_heads = num_heads
        self.dropout = dropout
        self.batch_first = batch_first
        self.head_dim = embed_dim // num_heads
        if self.head_dim * num_heads != embed_dim:
            raise AssertionError("embed_dim must be divisible by num_heads")

        def parameter(*shape):
            return Parameter(torch.empty(shape, device=device, dtype=dtype))

        if self._qkv_same_embed_dim:
            self.in_proj_weight = parameter(3 * embed_dim, embed_dim)
            for name in ("q_proj_weight", "k_proj_weight", "v_proj_weight"):
                self.register_parameter(name, None)
        else:
            self.q_proj_weight = parameter(embed_dim, embed_dim)
            self.k_proj_weight = parameter(embed_dim, self.kdim)
            self.v_proj_weight = parameter(embed_dim, self.vdim)
            self.register_parameter("in_proj_weight", None)
        self.register_parameter("in_proj_bias", parameter(3 * embed_dim) if bias else None)
        self.out_proj = NonDynamicallyQuantizableLinear(embed_dim, embed_dim, bias=bias, device=device, dtype=dtype)
        self.bias_k = parameter(1, 1, embed_dim) if add_bias_kv else None
        self.bias_v = parameter(1, 1, embed_dim) if add_bias_kv else None
        self.add_zero_attn = add_zero_attn
        self._reset_parameters()

    def _reset_parameters(self):
        for weight in (self.in_proj_weight, self.q_proj_weight, self.k_proj_weight, self.v_proj_weight):
            if weight is not None:
                init.xavier_uniform_(weight)
        if self.in_proj_bias is not None:
            init.constant_(self.in_proj_bias, 0.0)
            init.constant_(self.out_proj.bias, 0.0)
        for bias in (self.bias_k, self.bias_v):
            if bias is not None:
                init.xavier_normal_(bias)

    def __setstate__(self, state):
        state.setdefault("_qkv_same_embed_dim", True)
        super().__setstate__(state)

    def forward(self, query, key, value, key_padding_mask=None, need_weights=True, attn_mask=None,
                average_attn_weights=True, is_causal=False):
        """Attend to values by how well their keys fit the queries.

        Args:
            query, key, value: `(L, N, E)`, `(S, N, kdim)`, `(S, N, vdim)`, or without `N`.
            key_padding_mask: `(N, S)`, True for keys that do not count, or numbers that are added.
            need_weights: whether the weights are returned too, their mean over heads if `average_attn_weights`.
            attn_mask: `(L, S)` or `(N * num_heads, L, S)`, as `key_padding_mask`.
            is_causal: a hint that `attn_mask` is causal.
        Returns:
            `(L, N, E)`, and the weights `(N, L, S)` or None.
        """
        batched = query.dim() == 3
        if self.batch_first and batched:
            turned = query.transpose(1, 0)
            if query is key is value:  # one tensor behind it, too
                query = key = value = turned
            else:
                query, key, value = turned, key.transpose(1, 0), value.transpose(1, 0)
        own = {} if self._qkv_same_embed_dim else {
            "use_separate_proj_weight": True, "q_proj_weight": self.q_proj_weight, "k_proj_weight": self.k_proj_weight,
            "v_proj_weight": self.v_proj_weight}
        last = self.out_proj
        out, weights = F.multi_head_attention_forward(
            query, key, value, self.embed_dim, self.num_heads, self.in_proj_weight, self.in_proj_bias, self.bias_k,
            self.bias_v, self.add_zero_attn, self.dropout, last.weight, last.bias,
            training=self.training, key_padding_mask=key_padding_mask, need_weights=need_weights, attn_mask=attn_mask,
            average_attn_weights=average_attn_weights, is_causal=is_causal, **own)
        return (out.transpose(1, 0) if self.batch_first and batched else out), weights

    def merge_masks(self, attn_mask, key_padding_mask, query):
        """Both masks as one `(N, num_heads, L, S)`, and its kind: 0 for the first, 1 for the second, 2 for both."""
        kind, merged = None, None
        if key_padding_mask is not None:
            kind, merged = 1, key_padding_mask
        if attn_mask is not None:
            n, length = query.shape[0], query.shape[1]
            kind = 2
            whole = attn_mask.view(n, -1, length, length) if attn_mask.dim() == 3 else attn_mask.view(
                1, 1, length, length).expand(n, self.num_heads, -1, -1)
            merged = whole
            if key_padding_mask is not None:
                merged = whole + key_padding_mask.view(n, 1, 1, length).expand(-1, self.num_heads, -1, -1)
        return merged, kind
