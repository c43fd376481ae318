"""torch.utils.dlpack."""

from .._impl.interchange.dlpack import from_dlpack as from_dlpack, to_dlpack as to_dlpack
