"""torch._custom_ops: names that programs import; torch.library.custom_op defines operations."""

from ._impl.dispatch.unbuilt_parts import parts as _parts

globals().update(_parts("_custom_ops", functions="custom_op get_ctx impl impl_abstract impl_backward "
                                                 "impl_save_for_backward"))
