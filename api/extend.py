"""The interface for extending covector: declare primitives and backends, inspect graphs, build state on the tape.

`covector.compat` uses only these names and the public ones.
"""

from .core.at import At as At
from .core.avals import Aval as Aval, aval_of as aval_of, make_aval as make_aval
from .core.backend import BACKENDS as BACKENDS, Backend as Backend, register_backend as register_backend
from .core.device import Opaque as Opaque
from .core.errors import DtypeError as DtypeError, ShapeError as ShapeError
from .core.families import (
    ZERO as ZERO,
    elementwise as elementwise,
    joint as joint,
    linear as linear,
    primitive as primitive,
)
from .core.ops import (  # noqa: F401 - primitives that compat uses
    convolution as _convolution,
    elimination as _elimination,
    network as _network,
    normalisation as _normalisation,
    pairs as _pairs,
    special as _special,
)
from .core.ops.picking import Places as Places
from .core.ops.resampling import Sums as Sums
from .core.ops.samples import Sample as Sample
from .core.primitive import (
    REGISTRY as REGISTRY,
    Primitive as Primitive,
    bind as bind,
    take_operands as take_operands,
)
from .core.scatter import Scatter as Scatter
from .core.tape import (
    FREED as FREED,
    Node as Node,
    Partial as Partial,
    Rule as Rule,
    make_leaf as make_leaf,
    make_node as make_node,
    next_seq as next_seq,
)
from .core.tracer import (
    Batched as Batched,
    Trace as Trace,
    Tracer as Tracer,
    make_batched as make_batched,
    peel as peel,
)
from .transforms.ambient import (
    Ambient as Ambient,
    AmbientNode as AmbientNode,
    AmbientTrace as AmbientTrace,
    Extra as Extra,
    backward as backward,
)
from .transforms.debugging import on_debug as on_debug
from .transforms.reverse import pick_rule as pick_rule, sweep as sweep
from .transforms.vmap import VmapTrace as VmapTrace
from .transforms.watch import check_made as check_made, check_pulled as check_pulled
