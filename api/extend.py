"""The interface for extending covector: declare primitives and backends, inspect graphs, build state on the tape.

`covector.compat` uses only these names and the public ones.
"""

from .core.arrays.avals import Aval as Aval, aval_of as aval_of, make_aval as make_aval
from .core.arrays.backend import (
    BACKENDS as BACKENDS,
    Backend as Backend,
    register_backend as register_backend,
)
from .core.arrays.errstate import (
    enter_error_state as enter_error_state,
    leave_error_state as leave_error_state,
    make_error_state as make_error_state,
)
from .core.errors import LIBRARY_FOLDERS as LIBRARY_FOLDERS, DtypeError as DtypeError, ShapeError as ShapeError
from .core.numpy_api.at import At as At
from .core.ops.indexing import pairs as _pairs
from .core.ops.indexing.places import Places as Places
from .core.ops.linalg import elimination as _elimination
from .core.ops.nn import convolution as _convolution, network as _network, normalisation as _normalisation
from .core.ops.nn.resampling import Sums as Sums
from .core.ops.samples import Sample as Sample
from .core.ops.special import every as _special
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
from .core.tape.scatter import Scatter as Scatter
from .core.tape.tape import (
    FREED as FREED,
    Node as Node,
    Partial as Partial,
    Rule as Rule,
    make_leaf as make_leaf,
    make_node as make_node,
    next_seq as next_seq,
)
from .core.trace.device import Opaque as Opaque
from .core.trace.tracer import (
    Batched as Batched,
    Trace as Trace,
    Tracer as Tracer,
    make_batched as make_batched,
    unwrap as unwrap,
)
from .transforms.interpreters.vmap import VmapTrace as VmapTrace
from .transforms.reverse.ambient import (
    Ambient as Ambient,
    AmbientNode as AmbientNode,
    AmbientTrace as AmbientTrace,
    Extra as Extra,
)
from .transforms.reverse.nan_checks import check_made as check_made, check_pulled as check_pulled
from .transforms.reverse.reverse import pick_rule as pick_rule, sweep as sweep
from .transforms.scope.debug_modes import on_debug as on_debug

# Loaded for the primitives that compat uses.
_LOADED = _convolution, _elimination, _network, _normalisation, _pairs, _special
