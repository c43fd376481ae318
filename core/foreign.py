"""Names from JAX, autograd and PyTorch and their equivalents here, for error messages.

What stands between backticks is a name that a test looks up.
"""

import sys

import numpy as np

from .errors import at_user_line

_TREE = "`covector.tree`: map, flatten, leaves, map_with_path, keystr, ravel, register"
_DEVICES = "arrays stay where NumPy or CuPy has them; cupy.asarray and cupy.asnumpy move them"
_READY = "results are ready when a call returns; leave it out"
_MESH = "one process with `covector.vmap`(f, axis_name=...) takes its place, with `covector.psum` and others"
_TORCH = "covector.compat.torch has PyTorch's functions: import covector.compat.torch as torch"
_LAYERS = ("covector.nn has functions of arrays; keep parameters in a dict and apply them, x @ p['w'] + p['b'], as the "
           "tutorial does")
_OPTIMIZERS = "`covector.optimizers`: sgd, adam, adamw, rmsprop, lion, lbfgs, clipping, schedules"

ADVICE = {
    "Array": "arrays are `numpy.ndarray`, and traced ones `covector.extend.Tracer`",
    "ShapeDtypeStruct": "`covector.ShapeDtype`",
    "make_jaxpr": "`covector.make_graph`",
    "pure_callback": "`covector.host_callback`",
    "io_callback": "`covector.host_callback`",
    "named_call": "equations of a graph know the line that they come from; leave it out",
    "named_scope": "equations of a graph know the line that they come from; leave it out",
    "block_until_ready": _READY,
    "effects_barrier": _READY,
    "device_put": _DEVICES, "device_get": _DEVICES, "devices": _DEVICES, "local_devices": _DEVICES,
    "device_count": _DEVICES, "default_device": _DEVICES, "default_backend": _DEVICES,
    "config": "dtypes are NumPy's, so float64 needs no switch; leave it out",
    "enable_x64": "dtypes are NumPy's, so float64 needs no switch; leave it out",
    "disable_jit": "call the function without `covector.jit`, or with compiler_options={'printer': 'graph'}",
    "clear_caches": "f.clear_cache() of a function that `covector.jit` made",
    "debug_infs": "`covector.debug_nans`, or numpy.errstate(over='raise', divide='raise')",
    "tree_util": _TREE, "tree_map": "`covector.tree.map`", "tree_leaves": "`covector.tree.leaves`",
    "tree_flatten": "`covector.tree.flatten`", "tree_unflatten": "`covector.tree.unflatten`",
    "flatten_util": "`covector.tree.ravel`",
    "pmap": _MESH, "shard_map": _MESH, "xmap": _MESH, "make_mesh": _MESH, "sharding": _MESH,
    "custom_batching": "a primitive with a batching rule, `covector.extend.primitive`",
    "custom_derivatives": "`covector.custom_jvp`, `covector.custom_vjp`, `covector.closure_convert`",
    "image": "`covector.numpy.interp` for one axis, or scipy.ndimage for plain arrays",
    "profiler": "cProfile and perf_counter see covector's calls as they are",
    "deriv": "`covector.grad`", "make_vjp": "`covector.vjp`", "make_jvp": "`covector.jvp`",
    "make_hvp": "`covector.hvp`",
    "make_ggnvp": "`covector.vjp` of what `covector.jvp` gives",
    "hessian_vector_product": "`covector.hvp`", "hessian_tensor_product": "`covector.hvp`",
    "vector_jacobian_product": "`covector.vjp`", "tensor_jacobian_product": "`covector.vjp`",
    "grad_and_aux": "`covector.grad`(f, has_aux=True)",
    "grad_named": "`covector.grad`(f, argnums=k)", "multigrad": "`covector.grad`(f, argnums=(0, 1))",
    "multigrad_dict": "`covector.grad` of a function of a dict",
    "holomorphic_grad": "`covector.grad`(f, holomorphic=True)",
    "primitive": "`covector.extend.primitive`",
    "odeint": "steps of a method in a `covector.scan`",
    "optax": _OPTIMIZERS, "optim": _OPTIMIZERS, "sgd": _OPTIMIZERS, "adam": _OPTIMIZERS,
    "Tensor": _TORCH, "tensor": _TORCH, "no_grad": _TORCH, "autograd": _TORCH, "func": _TORCH, "backward": _TORCH,
    "from_numpy": _TORCH, "compile": "`covector.jit`", "detach": "`covector.stop_gradient`",
}
LAYERS = dict.fromkeys(
    ["Module", "Linear", "Dense", "Conv", "Conv1d", "Conv2d", "Conv3d", "Sequential", "Parameter", "Dropout",
     "Embedding", "LSTM", "GRU", "BatchNorm1d", "BatchNorm2d", "LayerNorm", "initializers", "init"], _LAYERS) | {
    "functional": "the functions are in covector.nn itself; covector.compat.torch.nn.functional has PyTorch's",
    "batch_norm": "`covector.nn.standardize`, or covector.compat.torch.nn.functional.batch_norm",
    "cross_entropy": "`covector.nn.softmax_cross_entropy`",
    "dropout": "np.where of a mask from `covector.random.bernoulli`",
}

_INDEX = "use NumPy's indexing, x[index], and `covector.numpy.take` and take_along_axis"
_SCATTER = "use x.at[index].add(values), .set, .multiply, .min, .max, or a write in place, x[index] += values"
_LINALG = "use numpy.linalg and `covector.scipy.linalg`"
_RAGGED = "take the groups by slices, or numpy.where on padded arrays"
_CLEAR = "arrays stay where they are, and the compiler keeps no order to be told; leave it out"
LAX = {
    "gather": _INDEX, "index_take": _INDEX,
    "scatter": _SCATTER, "scatter_add": _SCATTER, "scatter_sub": _SCATTER, "scatter_mul": _SCATTER,
    "scatter_min": _SCATTER, "scatter_max": _SCATTER, "scatter_apply": _SCATTER,
    "linalg": _LINALG,
    "reduce": "`covector.lax.reduce_sum`, reduce_max and others; `covector.associative_scan` for a function of yours",
    "reduce_window": "`covector.nn.max_pool` or `covector.nn.avg_pool`",
    "reduce_xor": "use numpy.bitwise_xor.reduce",
    "reduce_precision": "use x.astype(dtype).astype(x.dtype)",
    "round": "use numpy.rint, which rounds halves to even",
    "split": "`covector.numpy.split`, which takes the places of the cuts, not sizes",
    "unstack": "`covector.numpy.unstack`",
    "collapse": "use x.reshape(shape)",
    "fft": "`covector.numpy.fft`",
    "conv_with_general_padding": "`covector.lax.conv_general_dilated`",
    "conv_transpose": "`covector.nn.conv_transpose`",
    "conv_general_dilated_patches": "use numpy.lib.stride_tricks.sliding_window_view",
    "pvary": "`covector.pvary`", "pcast": "`covector.pvary`", "pbroadcast": "`covector.all_gather`, and take one of it",
    "pshuffle": "`covector.ppermute`", "pswapaxes": "`covector.all_to_all`",
    "approx_max_k": "`covector.lax.top_k`", "approx_min_k": "`covector.lax.top_k` of the negative",
    "optimization_barrier": _CLEAR, "with_sharding_constraint": _CLEAR, "after_all": _CLEAR, "create_token": _CLEAR,
    "Precision": "products are computed in the dtype of their operands; leave it out",
    "bitcast_convert_type": "use x.view(dtype) of a plain array",
    "shift_right_logical": "use numpy.right_shift of unsigned integers",
    "complex": "use x + 1j * y", "population_count": "use numpy.bitwise_count",
    "igamma_grad_a": "`covector.grad` of gammainc with respect to a",
    "random_gamma_grad": "`covector.random.gamma`, which has derivatives with respect to its parameters",
    "rng_uniform": "`covector.random.uniform`", "rng_bit_generator": "`covector.random.bits`",
    "platform_dependent": "use Python's if, on the type of the array",
    "dtype": "use x.dtype", "stack": "`covector.numpy.stack`", "shape_as_value": "use x.shape",
    "empty": "`covector.numpy.empty`",
    "broadcast_like": "`covector.numpy.broadcast_to`", "broadcast_to_rank": "`covector.numpy.broadcast_to`",
    "broadcast_shapes": "`covector.numpy.broadcast_shapes`",
    "conv_general_dilated_local": "an einsum of numpy.lib.stride_tricks.sliding_window_view and the kernels does it",
    "ragged_dot": _RAGGED, "ragged_dot_general": _RAGGED, "ragged_all_to_all": "`covector.all_to_all` of padded arrays",
    "scaled_dot": "multiply by the scales before a product, x @ y",
    "composite": "call the function itself", "stage": "`covector.make_graph`", "dce_sink": _CLEAR,
    "psend": "`covector.ppermute`", "precv": "`covector.ppermute`",
} | dict.fromkeys(
    ["conv_dimension_numbers", "conv_general_permutations", "conv_general_shape_tuple", "conv_shape_tuple",
     "conv_transpose_shape_tuple", "padtype_to_pads", "reduce_window_shape_tuple"],
    "shapes of results are those of `covector.eval_shape`, and dimension_numbers are plain strings")
DEBUG = {
    "breakpoint": "Python's breakpoint() stops in a function that runs eagerly, and in a `covector.debug.callback`",
    "log": "use `covector.debug.callback`(logging.info, ...)",
    "visualize_array_sharding": "arrays lie on one device; leave it out",
    "inspect_array_sharding": "arrays lie on one device; leave it out",
}
TREE = {
    "tree_map": "`covector.tree.map`", "tree_flatten": "`covector.tree.flatten`",
    "tree_unflatten": "`covector.tree.unflatten`", "tree_leaves": "`covector.tree.leaves`",
    "tree_structure": "`covector.tree.structure`", "tree_reduce": "`covector.tree.reduce`",
    "tree_transpose": "`covector.tree.transpose`", "tree_all": "`covector.tree.all`",
    "tree_map_with_path": "`covector.tree.map_with_path`",
    "tree_flatten_with_path": "`covector.tree.flatten_with_path`",
    "tree_leaves_with_path": "`covector.tree.leaves_with_path`",
    "register_pytree_node": "`covector.tree.register`", "register_pytree_node_class": "`covector.tree.register`",
    "register_pytree_with_keys": "`covector.tree.register`", "register_static": "`covector.tree.static` for a field",
    "Partial": "use functools.partial for a function that is given to a transform",
    "all_leaves": "`covector.tree.leaves`",
    "ravel_pytree": "`covector.tree.ravel`", "reduce_associative": "`covector.tree.reduce`",
    "DictKey": "paths are tuples of plain keys; `covector.tree.keystr` prints them",
    "SequenceKey": "paths are tuples of plain keys; `covector.tree.keystr` prints them",
    "GetAttrKey": "paths are tuples of plain keys; `covector.tree.keystr` prints them",
    "PyTreeDef": "the structure, as `covector.tree.structure` returns it",
}

SPARSE = ("use products A @ t and t @ A, A.toarray() for other operations, or covector.scipy.sparse.csr_array(A), an "
          "array whose values may be traced")
_EYES = "its value is known outside of the transformed function: return it with has_aux=True, or `covector.debug.print`"
# Attributes of the arrays of other libraries.
ATTRIBUTES = {
    "backward": "derivatives are those of a function: `covector.grad`(f)(x)",
    "grad": "derivatives are those of a function: `covector.grad`(f)(x)",
    "requires_grad": "derivatives are taken for the arguments that argnums of `covector.grad` names",
    "requires_grad_": "derivatives are taken for the arguments that argnums of `covector.grad` names",
    "detach": "use `covector.stop_gradient`(x)",
    "numpy": _EYES, "cpu": _EYES, "values": _EYES, "to_numpy": _EYES,
    "cuda": _DEVICES, "device_buffer": _DEVICES,
    "block_until_ready": _READY,
    "unsqueeze": "use x[:, None] or numpy.expand_dims", "permute": "use x.transpose(axes)",
    "view_as": "use x.reshape(y.shape)", "dim": "use x.ndim", "numel": "use x.size", "clone": "use x.copy()",
    "double": "use x.astype(float)", "float": "use x.astype(numpy.float32)", "mm": "use x @ y", "matmul": "use x @ y",
    "exp": "use numpy.exp(x)", "log": "use numpy.log(x)", "sqrt": "use numpy.sqrt(x)", "abs": "use abs(x)",
    "sin": "use numpy.sin(x)", "cos": "use numpy.cos(x)", "tanh": "use numpy.tanh(x)", "pow": "use x**y",
    "relu": "use `covector.nn.relu`(x)", "sigmoid": "use `covector.nn.sigmoid`(x)",
    "softmax": "use `covector.nn.softmax`(x)", "norm": "use numpy.linalg.norm(x)",
}


def asked_for_array(tracer):
    """`(array, how)` for who asks NumPy for the array of a traced value: scipy.sparse leaves a product to `__rmatmul__`
    if it gets an object; else there is none, and `how` says what was done.
    """
    frame, ours = sys._getframe(2), f"{__name__.split('.')[0]}."
    while str(frame.f_globals.get("__name__")).startswith(ours):  # what stands in for `__array__`
        frame = frame.f_back
    if not str(frame.f_globals.get("__name__")).startswith("scipy.sparse._"):
        return None, "converted to a numpy array"
    if frame.f_code.co_name != "_matmul_dispatch":
        return None, "given to scipy.sparse"
    out = np.empty((), object)
    out[()] = tracer
    return out, None


def no_attribute(aval, name):
    """The error for an attribute that traced values do not have."""
    text = ATTRIBUTES.get(name, "it has those of numpy.ndarray: check the name, or call a function of numpy")
    return AttributeError(f"a traced value ({aval!r}) has no attribute {name!r}; {text.replace('`', '')}"
                          f"{at_user_line()}")


def missing(module: str, name: str, advice: dict[str, str]) -> AttributeError:
    """The error for a name that a module does not have."""
    text = advice.get(name)
    if text is None:
        return AttributeError(f"module {module!r} has no attribute {name!r}")
    return AttributeError(f"{module} has no {name}; use {text.replace('`', '')}{at_user_line()}"
                          if text.startswith("`") else
                          f"{module} has no {name}; {text.replace('`', '')}{at_user_line()}")
