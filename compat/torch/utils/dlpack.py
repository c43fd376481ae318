"""torch.utils.dlpack."""

from ..dlpack import from_dlpack as from_dlpack, to_dlpack as to_dlpack
