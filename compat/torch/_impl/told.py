"""The methods and attributes of Tensor that tell function modes of themselves; operations do so anyway.

What is called most often asks where it is written, behind its lane.
"""

from . import public_names
from .dispatch.telling import asks_modes, attribute, operator_asks_modes
from .interchange import dlpack
from .sparse import dense_methods
from .tensor import printing, storage
from .types.tensor_type import Tensor, ndarray

ATTACHED = public_names, dlpack, dense_methods, printing, storage  # loaded for the members of Tensor that they attach

METHODS = """
__array__ __contains__ __deepcopy__ __dlpack__ __dlpack_device__ __format__ __index__ __invert__ __pos__ __rdiv__
__repr__ __reversed__ __str__ _indices _is_view _nnz _values adjoint allclose apply_ argwhere as_strided as_strided_
bernoulli bernoulli_ broadcast_to cauchy_ coalesce conj copy_ cuda data_ptr dense_dim detach_ diagonal dim_order
dsplit element_size equal exponential_ fill_ float_power_ geometric_ get_device hsplit indices is_coalesced is_conj
is_distributed is_inference is_neg is_nonzero is_pinned is_same_size is_set_to is_shared is_signed log_normal_ lu
map2_ map_ moveaxis movedim multinomial narrow narrow_copy new new_empty new_empty_strided new_full new_ones
new_tensor new_zeros nonzero nonzero_static normal_ numpy pin_memory polygamma positive random_ ravel register_hook
register_post_accumulate_grad_hook repeat resize_ resolve_conj resolve_neg retain_grad select set_ share_memory_
sparse_dim sparse_mask split_with_sizes squeeze_ storage storage_offset sum_to_size swapaxes_ swapdims_ t_ to_dense
to_sparse to_sparse_bsc to_sparse_bsr to_sparse_coo to_sparse_csc to_sparse_csr transpose_ type type_as unflatten
unfold uniform_ unique unique_consecutive unsafe_chunk unsafe_split unsqueeze_ untyped_storage values vsplit where
zero_
""".split()
OPERATORS = """
__and__ __floordiv__ __iand__ __ilshift__ __ior__ __irshift__ __ixor__ __lshift__ __or__ __rfloordiv__
__rlshift__ __rmod__ __rpow__ __rrshift__ __rshift__ __rsub__ __rtruediv__ __xor__
""".split()
NAMES = {"__pos__": "positive", "__str__": "__repr__", "__rtruediv__": "__rdiv__"}  # under which PyTorch has them
FLAGS = """
is_ipu is_maia is_mkldnn is_mps is_mtia is_nested is_quantized is_sparse is_sparse_csr is_vulkan is_xla is_xpu
""".split()


def flag(value):
    """A method that returns the same value for every tensor."""
    return lambda self: value


for _asks, _names in (asks_modes, METHODS), (operator_asks_modes, OPERATORS):
    for _name in _names:
        setattr(Tensor, _name, _asks(vars(Tensor)[_name], NAMES.get(_name, _name)))
for _name, _member in list(vars(Tensor).items()):
    if isinstance(_member, property):
        attribute(_name, _member.fget, _member.fset, _member.fdel, _member.__doc__)
for _name in FLAGS:
    attribute(_name, flag(False), doc="False.")
attribute("is_cpu", lambda self: type(self.value) is ndarray or self.device.type == "cpu",
          doc="Tell whether the elements lie in ordinary memory.")
