"""torch._subclasses.fake_tensor, as far as other people's modules look at it: no tensor is fake."""

from .._impl.dispatch.unbuilt_parts import unbuilt_class as _unbuilt_class

FakeTensor = _unbuilt_class("_subclasses.fake_tensor", "FakeTensor")
FakeTensorMode = _unbuilt_class("_subclasses.fake_tensor", "FakeTensorMode")


def is_fake(x):
    """False."""
    return False
