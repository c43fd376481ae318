"""torch.onnx: nothing is exported here, which programs ask for in their layers."""

from .._impl.dispatch import surface as _surface
from .._impl.dispatch.unbuilt_parts import parts as _parts
from . import symbolic_helper as symbolic_helper, symbolic_opset11 as symbolic_opset11


def is_in_onnx_export():
    """False: no model is being exported.

    >>> import covector.compat.torch as torch
    >>> torch.onnx.is_in_onnx_export()
    False
    """
    return False


def register_custom_op_symbolic(symbolic_name, symbolic_fn, opset_version):
    """Nothing: only an export would ask for it, and `export` is refused."""


globals().update(_parts("onnx", "ONNXProgram", "export"))

__getattr__ = _surface.getter("onnx.", "torch.onnx")
