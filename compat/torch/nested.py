"""torch.nested: names that programs import; their use is refused."""

from ._impl.dispatch.unbuilt_parts import parts as _parts

globals().update(_parts(
    "nested",
    functions="as_nested_tensor masked_select narrow nested_tensor nested_tensor_from_jagged to_padded_tensor"))
