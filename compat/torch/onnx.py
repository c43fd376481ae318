"""torch.onnx: nothing is exported here, which programs ask for in their layers."""

from ._impl.dispatch.unbuilt_parts import parts as _parts


def is_in_onnx_export():
    """False: no model is being exported.

    >>> import covector.compat.torch as torch
    >>> torch.onnx.is_in_onnx_export()
    False
    """
    return False


globals().update(_parts("onnx", "ONNXProgram", "export"))
