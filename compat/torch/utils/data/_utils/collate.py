"""torch.utils.data._utils.collate: items put together."""

from ...._impl.data.collating import (
    MESSAGE as default_collate_err_msg_format,  # noqa: F401 (a name that programs import)
    collate as collate,
    collate_arrays as collate_numpy_array_fn,  # noqa: F401
    collate_floats as collate_float_fn,  # noqa: F401
    collate_ints as collate_int_fn,  # noqa: F401
    collate_scalars as collate_numpy_scalar_fn,  # noqa: F401
    collate_strings as collate_str_fn,  # noqa: F401
    collate_tensors as collate_tensor_fn,  # noqa: F401
    default_collate as default_collate,
    default_collate_fn_map as default_collate_fn_map,
    default_convert as default_convert,
)
