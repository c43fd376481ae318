"""torch.nn.attention.flex_attention: attention whose scores and mask are functions of positions."""

import inspect
import math
import warnings
from typing import NamedTuple

from ..._impl.func.batch import vmap
from ..._impl.modes.warnings import first
from ..._impl.ops.attention import weights_or_zeros
from ..._impl.public_names import F, torch
from ..._impl.types.dtypes import bool_, float32, float64, int32
from ..._impl.types.tensor_type import Tensor

__all__ = ["AuxOutput", "AuxRequest", "BlockMask", "and_masks", "create_block_mask", "create_mask", "flex_attention",
           "noop_mask", "or_masks"]
_DEFAULT_SPARSE_BLOCK_SIZE = 128


class AuxRequest(NamedTuple):
    """A request for auxiliary outputs of `flex_attention`: the logarithms of sums of weights, the largest scores."""

    lse: bool = False
    max_scores: bool = False


class AuxOutput(NamedTuple):
    """The auxiliary outputs that an `AuxRequest` asked for."""

    lse: Tensor | None = None
    max_scores: Tensor | None = None


def flex_attention(query, key, value, score_mod=None, block_mask=None, scale=None, enable_gqa=False, return_lse=False,
                   kernel_options=None, *, return_aux=None):
    """Compute softmax(score_mod(scale · query keyᵀ)) value, at the places that a mask leaves.

    Args:
        query: `(B, H, L, E)`; key, value: `(B, H, S, E)`, with fewer heads if `enable_gqa`.
        score_mod: `score_mod(score, b, h, q_idx, kv_idx)` of tensors without axes; it may close over tensors.
        block_mask: what `create_block_mask` made of a function of the four indices. The mask is that function: which
            blocks are empty is of no use here.
        kernel_options: of kernels on devices; not needed.
        return_aux: an `AuxRequest`.

    >>> import covector.compat.torch as torch
    >>> from covector.compat.torch.nn.attention.flex_attention import create_block_mask, flex_attention
    >>> x = torch.eye(3).reshape(1, 1, 3, 3)
    >>> mask = create_block_mask(lambda b, h, q, kv: q >= kv, None, None, 3, 3)
    >>> flex_attention(x, x, x, lambda score, b, h, q, kv: 0.0 * score, mask)
    tensor([[[[1.0000, 0.0000, 0.0000],
              [0.5000, 0.5000, 0.0000],
              [0.3333, 0.3333, 0.3333]]]])
    """
    _check(query, key, value, block_mask, enable_gqa)
    if return_lse and return_aux is not None:
        raise ValueError("Cannot specify both return_lse and return_aux. return_lse is deprecated, please use "
                         "return_aux=AuxRequest(lse=True) instead.")
    times = query.shape[1] // key.shape[1]
    if times > 1:
        key, value = key.repeat_interleave(times, 1), value.repeat_interleave(times, 1)
    precision = float64 if query.dtype is float64 else float32
    scores = query.to(precision) @ key.to(precision).transpose(-2, -1)
    scores = scores * (1.0 / math.sqrt(query.shape[-1]) if scale is None else scale)
    places = [torch.arange(n, device=scores.device) for n in scores.shape]
    if score_mod is not None:
        scores = _of_places(score_mod, 1)(scores, *places).to(precision)
    if block_mask is not None:
        scores = scores.masked_fill(_of_places(block_mask.mask_mod)(*places).logical_not(), -math.inf)
    weights = F.softmax(scores, -1) if block_mask is None and score_mod is None else weights_or_zeros(scores)
    out = weights.to(query.dtype) @ value
    if return_aux is None and not return_lse:
        return out
    wanted = return_aux or AuxRequest(lse=True)
    lse = scores.logsumexp(-1) if wanted.lse else None
    if return_aux is None:
        if first("return_lse"):
            warnings.warn("return_lse is deprecated and will be removed in v2.10. Please use "
                          "return_aux=AuxRequest(lse=True) instead.", FutureWarning, stacklevel=2)
        return out, lse
    return out, AuxOutput(lse, scores.amax(-1) if wanted.max_scores else None)


def _check(query, key, value, block_mask, enable_gqa):
    for x in (query, key, value):
        if x.dim() != 4:
            raise ValueError(f"Expected query, key and value to be 4D tensors, but got {query.dim()}D, {key.dim()}D "
                             f"and {value.dim()}D.")
    if query.shape[-1] != key.shape[-1]:
        raise ValueError("Expect query and key/value to have the same embedding dimension but got "
                         f"E={query.shape[-1]} and E={key.shape[-1]}.")
    heads, groups = query.shape[1], key.shape[1]
    if heads != groups and not enable_gqa:
        raise ValueError(f"Expect query and key/value to have the same number of heads but got Hq={heads} and "
                         f"Hkv={groups}. Try setting enable_gqa=True for GQA.")
    if heads % groups:
        raise ValueError("Expect number of query heads to be a multiple of kv heads for GQA but got "
                         f"Hq={heads} and Hkv={groups}.")
    if block_mask is not None:
        length, width = query.shape[-2], key.shape[-2]
        if block_mask.seq_lengths != (length, width):
            raise ValueError(f"block_mask was created for block_mask.shape={block_mask.shape} but got q_len={length} "
                             f"and kv_len={width}; create one for these lengths.")


def _of_places(fun, scores=0):
    """A function of indices, or of a score and indices, as one of tensors over all places."""
    for k in (3, 2, 1, 0):
        fun = vmap(fun, in_dims=(0,) * scores + tuple(0 if i == k else None for i in range(4)))
    return fun


def noop_mask(batch, head, token_q, token_kv):
    """Every place."""
    return batch.new_ones(size=(), dtype=bool_)


def or_masks(*mask_mods):
    """The places that one of several masks leaves."""
    return _joined(mask_mods, lambda a, b: a | b)


def and_masks(*mask_mods):
    """The places that all of several masks leave."""
    return _joined(mask_mods, lambda a, b: a & b)


def _joined(mask_mods, operation):
    if not all(map(callable, mask_mods)):
        raise RuntimeError(f"All inputs should be callable mask_mods: {mask_mods}")

    def joined(b, h, q_idx, kv_idx):
        masks = [mask(b, h, q_idx, kv_idx) for mask in mask_mods]
        found = masks[0]
        for mask in masks[1:]:
            found = operation(found, mask)
        return found

    return joined


def create_mask(mod_fn, B, H, Q_LEN, KV_LEN, device=None):  # noqa: N803 (torch's names)
    """The mask `(B, H, Q_LEN, KV_LEN)` of a function of four indices, or of a score and four indices.

    >>> from covector.compat.torch.nn.attention.flex_attention import create_mask
    >>> create_mask(lambda b, h, q, kv: q >= kv, None, None, 2, 2)
    tensor([[[[ True, False],
              [ True,  True]]]])
    """
    shape = (1 if B is None else B, 1 if H is None else H, Q_LEN, KV_LEN)
    places = [torch.arange(n, device=device) for n in shape]
    needed = [p for p in inspect.signature(mod_fn).parameters.values() if p.default is p.empty]
    if len(needed) == 5:
        return _of_places(mod_fn, 1)(torch.zeros(shape, device=device), *places) != -math.inf
    if len(needed) != 4:
        raise AssertionError(f"Expected 4 or 5 positional args, got {len(needed)}")
    return _of_places(mod_fn)(*places).expand(shape)


def create_block_mask(mask_mod, B, H, Q_LEN, KV_LEN, device=None,  # noqa: N803 (torch's names)
                      BLOCK_SIZE=_DEFAULT_SPARSE_BLOCK_SIZE, _compile=False,  # noqa: N803
                      separate_full_blocks=True, compute_dq_write_order=False, dq_kv_order=True):
    """The mask of a function `mask_mod(b, h, q_idx, kv_idx)` for `flex_attention`, with its blocks.

    Args:
        mask_mod: returns which places are left, of tensors without axes.
        B, H: None if the mask is the same for all examples, or heads.
        BLOCK_SIZE: of queries and keys, or of both.
        separate_full_blocks: whether blocks without a masked place are listed apart.
    """
    rows, columns = size = BLOCK_SIZE if isinstance(BLOCK_SIZE, tuple) else (BLOCK_SIZE, BLOCK_SIZE)
    mask = create_mask(mask_mod, B, H, Q_LEN, KV_LEN, device)
    mask = F.pad(mask, (0, -KV_LEN % columns, 0, -Q_LEN % rows))
    *batch, q, kv = mask.shape
    counts = mask.reshape(*batch, q // rows, rows, kv // columns, columns).sum((-3, -1))
    full = counts == rows * columns if separate_full_blocks else None
    partial = counts > 0 if full is None else (counts > 0) & ~full
    return BlockMask.from_kv_blocks(*_ordered(partial), *(_ordered(full) if full is not None else ()), BLOCK_SIZE=size,
                                    mask_mod=mask_mod, seq_lengths=(Q_LEN, KV_LEN))


def _ordered(blocks):
    """The number of set blocks in each row, and the indices of blocks, those that are set first."""
    first = blocks.to(int32).argsort(dim=-1, descending=True, stable=True)
    return blocks.sum(-1).to(int32), first.to(int32).contiguous()


def _dense(counts, indices):
    """The blocks that are set, of their counts and numbers."""
    columns = indices.shape[-1]
    listed = (torch.arange(columns, device=counts.device) < counts.unsqueeze(-1)).to(int32)
    return torch.zeros(indices.shape, dtype=int32, device=indices.device).scatter(-1, indices.long(), listed)


class BlockMask:
    """A mask of attention by its function, with the numbers of the blocks in which it leaves places.

    Attributes:
        mask_mod, seq_lengths, BLOCK_SIZE: what it was made of.
        kv_num_blocks, kv_indices, full_kv_num_blocks, full_kv_indices: blocks of keys for each block of queries.
        q_num_blocks, q_indices, full_q_num_blocks, full_q_indices: blocks of queries for each block of keys.
    """

    _TENSORS = ("kv_num_blocks", "kv_indices", "full_kv_num_blocks", "full_kv_indices", "q_num_blocks", "q_indices",
                "full_q_num_blocks", "full_q_indices")

    def __init__(self, seq_lengths, kv_num_blocks, kv_indices, full_kv_num_blocks, full_kv_indices, q_num_blocks,
                 q_indices, full_q_num_blocks, full_q_indices,
                 BLOCK_SIZE=(_DEFAULT_SPARSE_BLOCK_SIZE, _DEFAULT_SPARSE_BLOCK_SIZE),  # noqa: N803
                 mask_mod=noop_mask):
        self.seq_lengths, self.BLOCK_SIZE, self.mask_mod = seq_lengths, BLOCK_SIZE, mask_mod
        self.kv_num_blocks, self.kv_indices = kv_num_blocks, kv_indices
        self.full_kv_num_blocks, self.full_kv_indices = full_kv_num_blocks, full_kv_indices
        self.q_num_blocks, self.q_indices = q_num_blocks, q_indices
        self.full_q_num_blocks, self.full_q_indices = full_q_num_blocks, full_q_indices

    @classmethod
    def from_kv_blocks(cls, kv_num_blocks, kv_indices, full_kv_num_blocks=None, full_kv_indices=None,
                       BLOCK_SIZE=_DEFAULT_SPARSE_BLOCK_SIZE, mask_mod=None,  # noqa: N803
                       seq_lengths=None, compute_q_blocks=True):
        """Make one of the blocks of keys for each block of queries."""
        if kv_indices.dim() < 2:
            raise RuntimeError("BlockMask must have at least 2 dimensions")
        size = BLOCK_SIZE if isinstance(BLOCK_SIZE, tuple) else (BLOCK_SIZE, BLOCK_SIZE)
        if seq_lengths is None:
            seq_lengths = (kv_indices.shape[-2] * size[0], kv_indices.shape[-1] * size[1])
        others = [None] * 4
        if compute_q_blocks:
            others[:2] = _ordered(_dense(kv_num_blocks, kv_indices).transpose(-2, -1))
            if full_kv_indices is not None:
                others[2:] = _ordered(_dense(full_kv_num_blocks, full_kv_indices).transpose(-2, -1))
        return cls(seq_lengths, kv_num_blocks, kv_indices, full_kv_num_blocks, full_kv_indices, *others, size,
                   noop_mask if mask_mod is None else mask_mod)

    @property
    def shape(self):
        """The shape of the mask: batch, heads, queries, keys."""
        return (*self.kv_indices.shape[:-2], *self.seq_lengths)

    def numel(self):
        """The number of places in the mask."""
        return math.prod(self.shape)

    def sparsity(self):
        """The percentage of places in blocks that are empty."""
        blocks = self.kv_num_blocks.sum().item()
        if self.full_kv_num_blocks is not None:
            blocks += self.full_kv_num_blocks.sum().item()
        return 100 * (1 - blocks * math.prod(self.BLOCK_SIZE) / self.numel())

    def to_dense(self):
        """A mask of the blocks that have places left."""
        blocks = _dense(self.kv_num_blocks, self.kv_indices)
        if self.full_kv_indices is not None:
            blocks |= _dense(self.full_kv_num_blocks, self.full_kv_indices)
        return blocks

    def to(self, device):
        """The mask with its tensors on a device."""
        return type(self)(self.seq_lengths, *[t if t is None else t.to(device)
                                              for t in (getattr(self, name) for name in self._TENSORS)],
                          self.BLOCK_SIZE, self.mask_mod)

    def __repr__(self):
        shapes = {name: getattr(self, name) for name in self._TENSORS}
        lines = [f"{name}={None if t is None else t.shape}" for name, t in shapes.items()]
        lines += [f"BLOCK_SIZE={self.BLOCK_SIZE}", f"shape={self.shape}", f"sparsity={self.sparsity():.2f}%",
                  f"mask_mod={getattr(self.mask_mod, '__name__', self.mask_mod)}"]
        return "BlockMask(\n    " + ",\n    ".join(lines) + "\n)"
