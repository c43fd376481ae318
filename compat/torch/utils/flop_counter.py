"""torch.utils.flop_counter: names that programs import; their use is refused."""

from .._impl.dispatch.unbuilt_parts import parts as _parts

globals().update(_parts("utils.flop_counter", "FlopCounterMode", "register_flop_formula"))
