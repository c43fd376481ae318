"""torch.linalg."""

from ._impl.dispatch import surface as _surface
from ._impl.dispatch.call import ROWS as _ROWS
from ._impl.inplace.lower_errors import LinAlgError as LinAlgError

__getattr__ = _surface.getter("linalg.", "torch.linalg")
globals().update(_surface.names("linalg."))
globals().update(matmul=_ROWS["matmul"].fun)
_surface.publish(globals())
