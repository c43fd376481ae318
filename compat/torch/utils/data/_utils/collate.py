"""torch.utils.data._utils.collate: items put together."""

from ...._impl.data.collating import (
    collate as collate,
    default_collate as default_collate,
    default_collate_fn_map as default_collate_fn_map,
    default_convert as default_convert,
)
