"""The operations by family: each is written once, on core values, and attaches itself to torch and Tensor."""

from ..tensor import tensor as tensor  # isort: skip (the methods that operations build on)
from . import operators, comparisons  # isort: skip (Python's operators)
from . import elementwise, indexing, joining, linalg, network, reductions, selecting, shaping, strided, windows

from . import activations, copying, index_writing, sorting, splitting  # isort: skip (on those)
from . import arithmetic, combining, complex_numbers, einsum, pointwise, pooling, scattering  # isort: skip (on those)
from . import histograms, running, sampled, searching, statistics  # isort: skip (on those)
from . import factorizations, layers, losses, lu, matrix_functions, resampling  # isort: skip (on those)
from . import special, spectra, triangular  # isort: skip (on those)
from . import attention, embeddings, indefinite, segments  # isort: skip (on those)
from . import matrices, overloads  # isort: skip (of operations registered above)
from . import foreach, network_refusals, refusals  # isort: skip (of operations registered above)

# Functions of tensors that are no operations of their own.
PLAIN = {**joining.PLAIN, **arithmetic.PLAIN, **selecting.PLAIN, **combining.PLAIN, **sampled.PLAIN,
         **lu.PLAIN, **matrix_functions.PLAIN, **segments.PLAIN}
LISTS = foreach.PUBLIC  # functions of lists of tensors
