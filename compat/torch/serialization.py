"""torch.serialization."""

from ._impl.interchange.serialization import load as load, save as save
