"""torch.return_types: the named tuples that operations with several outputs return."""

from ._impl.types.output_tuples import TUPLES as _TUPLES

globals().update({kind.__name__: kind for kind in _TUPLES})
del _TUPLES
