"""For those who extend covector: declare primitives and backends, write transforms, read graphs."""

from .core.arrays.avals import (
    Aval as Aval,
    aval_of as aval_of,
    make_aval as make_aval,
)
from .core.arrays.backend import (
    BACKENDS as BACKENDS,
    Backend as Backend,
    register_backend as register_backend,
)
from .core.errors import DtypeError as DtypeError, ShapeError as ShapeError
from .core.ops.samples import Sample as Sample
from .core.primitive.families import (
    ZERO as ZERO,
    elementwise as elementwise,
    joint as joint,
    linear as linear,
    primitive as primitive,
)
from .core.primitive.primitive import (
    REGISTRY as REGISTRY,
    Loop as Loop,
    Primitive as Primitive,
    bind as bind,
    take_operands as take_operands,
)
from .core.trace.device import Opaque as Opaque, constant as constant
from .core.trace.tracer import (
    Batched as Batched,
    Trace as Trace,
    Tracer as Tracer,
    make_batched as make_batched,
    unwrap as unwrap,
)
