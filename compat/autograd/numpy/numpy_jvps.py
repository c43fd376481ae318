"""autograd.numpy.numpy_jvps: its rules are covector's."""

from .._impl.missing import refusing

_RULES = "the rules of NumPy's functions are covector's primitives (covector.extend.REGISTRY)"
refusing("numpy.numpy_jvps", dict.fromkeys(
    ["forward_grad_np_mean", "forward_grad_np_std", "forward_grad_np_var", "fwd_grad_chooser",
     "fwd_grad_concatenate_args", "fwd_grad_sort", "fwd_grad_partition", "atleast_jvpmaker",
     "array_from_args_gradmaker",
     "array_from_scalar_or_array_jvp", "broadcast", "norm_jvp"], _RULES))
