"""Attention of several heads as a module."""

from ..._impl.module import functions as F, initialization as init, torch_names as torch
from ..._impl.module.module import Module
from ..._impl.types.parameter import Parameter
from .linear import NonDynamicallyQuantizableLinear


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
