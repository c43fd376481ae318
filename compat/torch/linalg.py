"""torch.linalg."""

from ._impl.dispatch import surface as _surface
from ._impl.dispatch.call import ROWS as _ROWS
from ._impl.inplace.lower_errors import LinAlgError as LinAlgError

__getattr__, __dir__ = _surface.look_up("linalg")
globals().update(_surface.names("linalg."))
globals().update(matmul=_ROWS["matmul"].fun)
_surface.publish(globals())
