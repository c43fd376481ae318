"""torch.nn.functional."""

from .... import _engine
from .._impl.dispatch import surface as _surface

LazyModule = _engine.LazyModule
_fractional_pooling = LazyModule("covector.compat.torch._impl.module.fractional_pooling")
_composed_functions = LazyModule("covector.compat.torch._impl.module.composed_functions")
__getattr__ = _surface.getter("nn.functional.", "torch.nn.functional", parts={name: home for home, names in (
    (_fractional_pooling, """fractional_max_pool2d fractional_max_pool2d_with_indices fractional_max_pool3d
        fractional_max_pool3d_with_indices"""),
    (_composed_functions, "conv_tbc linear_cross_entropy native_channel_shuffle")) for name in names.split()})
del LazyModule
globals().update(_surface.names("nn.functional."))
_surface.publish(globals())
