"""torch.onnx.symbolic_opset11: names that programs import; an export would use them, and it is refused."""

from .._impl.dispatch.unbuilt_parts import parts as _parts

globals().update(_parts("onnx.symbolic_opset11", functions="select squeeze unsqueeze"))
