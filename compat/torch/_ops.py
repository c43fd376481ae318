"""torch._ops: names that programs import; their use is refused."""

from ._impl.dispatch.unbuilt_parts import parts as _parts

globals().update(_parts("_ops", "HigherOrderOperator OpOverload OpOverloadPacket OperatorBase"))
