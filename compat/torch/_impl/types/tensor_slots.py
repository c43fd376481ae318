"""The fields of tensors. Compiled with tensor_slots.pxd."""


class TensorSlots:
    """The fields of a tensor; `TensorBase` says what they hold."""

    __slots__ = ("__weakref__", "autograd_meta", "dispatch_key", "level_trace", "node", "value", "wants_grad")
