"""torch._dynamo.eval_frame: there are no compiled modules, which `isinstance` finds out."""

from .._impl.dispatch.unbuilt_parts import parts as _parts

globals().update(_parts("_dynamo.eval_frame", "OptimizedModule"))
