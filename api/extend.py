"""For those who extend covector: declare primitives and backends, read graphs, build state on the tape.

`covector.compat` is built on these names and the public ones alone.
"""

from .core.avals import Aval as Aval
from .core.avals import aval_of as aval_of
from .core.avals import make_aval as make_aval
from .core.backend import BACKENDS as BACKENDS
from .core.backend import Backend as Backend
from .core.backend import register_backend as register_backend
from .core.families import ZERO as ZERO
from .core.families import elementwise as elementwise
from .core.families import joint as joint
from .core.families import linear as linear
from .core.families import primitive as primitive
from .core.ops.samples import Sample as Sample
from .core.primitive import REGISTRY as REGISTRY
from .core.primitive import Primitive as Primitive
from .core.primitive import bind as bind
from .core.tape import FREED as FREED
from .core.tape import Node as Node
from .core.tape import Rule as Rule
from .core.tape import make_leaf as make_leaf
from .core.tape import make_node as make_node
from .core.tracer import Trace as Trace
from .core.tracer import Tracer as Tracer
from .core.tracer import peel as peel
from .transforms.ambient import Ambient as Ambient
from .transforms.ambient import AmbientNode as AmbientNode
from .transforms.ambient import AmbientTrace as AmbientTrace
from .transforms.ambient import backward as backward
from .transforms.reverse import sweep as sweep
