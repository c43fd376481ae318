"""torch.testing: comparing tensors, with what differs in the message."""

from ._impl.dispatch import surface as _surface
from ._impl.tensor.comparison import (
    assert_allclose as assert_allclose,
    assert_close as assert_close,
    make_tensor as make_tensor,
)

__getattr__ = _surface.getter("testing.", "torch.testing")
_surface.publish(globals())
