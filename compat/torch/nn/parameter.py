"""torch.nn.parameter: what modules register."""

from .._impl.dispatch import surface as _surface
from .._impl.module.held_tensors import (
    Buffer as Buffer,
    UninitializedBuffer as UninitializedBuffer,
    UninitializedParameter as UninitializedParameter,
    UninitializedTensorMixin as UninitializedTensorMixin,
    is_lazy as is_lazy,
)
from .._impl.types.parameter import Parameter as Parameter

_ParameterMeta = type(Parameter)
_surface.publish(globals())
