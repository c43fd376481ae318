"""NumPy's functions as the bodies of operations call them: plain arrays are computed as traced values are.

A call whose operands have no history computes on arrays, its program on what stands for them: by the same functions, so
that both give the same bits.
"""

from ..... import numpy
from ....._engine import OfValues

cnp = OfValues(numpy)
