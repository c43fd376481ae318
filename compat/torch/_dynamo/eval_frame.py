"""torch._dynamo.eval_frame: the modules that torch.compile gives."""

from .._impl.dispatch import surface as _surface
from .._impl.module.compiled import OptimizedModule as OptimizedModule

_surface.publish(globals())
