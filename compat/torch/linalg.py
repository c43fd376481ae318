"""torch.linalg."""

from ._impl.dispatch.call import ROWS
from ._impl.dispatch.surface import getter, names
from ._impl.ops.linalg import LinAlgError as LinAlgError

__getattr__ = getter("linalg.", "torch.linalg")
globals().update(names("linalg."))
globals().update(matmul=ROWS["matmul"].fun)
