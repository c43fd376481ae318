"""torch.nn.modules.linear_cross_entropy_options: how PyTorch computes LinearCrossEntropyLoss in parts."""

from dataclasses import dataclass


@dataclass(frozen=True)
class LinearCrossEntropyOptions:
    """Options of LinearCrossEntropyLoss, which are kept and change nothing: here the loss is computed at once."""

    allow_retain_graph: bool = False
    batch_chunk_size: int | None = None
    chunking_method: str | None = "auto"
    acc_policy: str = "auto"
    acc_dtype: object = None
