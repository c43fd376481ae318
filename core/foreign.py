"""Names of JAX, autograd and PyTorch that covector has otherwise: what to use here, for the error message.

What stands between backticks is a name that a test looks up.
"""

from .errors import at_user_line

_TREE = "`covector.tree`: map, flatten, leaves, ravel, register"
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
    "lax": "control flow and collectives are `covector.scan`, `covector.cond`, `covector.while_loop`, `covector.psum`, "
           "…; elementwise functions are NumPy's",
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


def missing(module: str, name: str, advice: dict[str, str]) -> AttributeError:
    """The error for a name that a module does not have."""
    text = advice.get(name)
    if text is None:
        return AttributeError(f"module {module!r} has no attribute {name!r}")
    return AttributeError(f"{module} has no {name}; use {text.replace('`', '')}{at_user_line()}"
                          if text.startswith("`") else
                          f"{module} has no {name}; {text.replace('`', '')}{at_user_line()}")
