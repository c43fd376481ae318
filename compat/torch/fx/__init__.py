"""torch.fx: names that programs import; graphs of modules are not recorded, and their use is refused."""

from .._impl.dispatch import surface as _surface
from .._impl.dispatch.unbuilt_parts import parts as _parts
from .._impl.platform.compiling import as_it_is as _as_it_is

globals().update(_parts("fx", "CodeGen Graph GraphModule Interpreter Node Proxy Tracer Transformer",
                        "replace_pattern symbolic_trace"))
wrap = _as_it_is  # of a function it says that a graph holds it as one operation
__getattr__ = _surface.getter("fx.", "torch.fx")
