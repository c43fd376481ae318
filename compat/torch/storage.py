"""torch.storage."""

from ._impl.tensor.storage import TypedStorage as TypedStorage, UntypedStorage as UntypedStorage
