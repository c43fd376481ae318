"""torch.linalg."""

from .call import ROWS
from .ops.linalg import LinAlgError as LinAlgError
from .surface import getter, names

__getattr__ = getter("linalg.", "torch.linalg")
globals().update(names("linalg."))
globals().update(matmul=ROWS["matmul"].fun)
