"""torch.fx.proxy: names that programs import; their use is refused."""

from .._impl.dispatch.unbuilt_parts import parts as _parts

globals().update(_parts("fx", "Attribute GraphAppendingTracer ParameterProxy Proxy TraceError TracerBase"))
