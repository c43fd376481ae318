"""Optional facts of primitives: tables by name of what statements say, each for the one or two files that read it."""

from .errors import RuleError

ABSENT = {}  # {case of the audit: why the operation has none}; api/testing/audit.py
ACCEPTS_NONE = {}  # its vjp handles missing cotangents of several answers; core/tape/rules.py
ACROSS = {}  # a collective over an axis of a trace; transforms/interpreters/vmap.py, transforms/collectives/varying.py
ALONE = {}  # given avals and parameters: whether its own loops beat native code; transforms/compile/call/partition.py
BASIS = {}  # {operand index: Formula of its cotangents for all unit cotangents, had for free}; core/tape/rules.py
BLOCKS = {}  # what mixes: reductions, lines, last axes; core/tape/strong_zeros.py, transforms/control/control.py
BOUNDS = {}  # of an extreme: its answer with where x won, and the rule of `where`; core/primitive/lanes.py
BROADCASTS = {}  # operands against each other, though it is not elementwise; api/testing/audit.py
CHOSEN = {}  # {operand: its rule where zeros cut}; core/primitive/families.py, core/tape/rules.py
CONTINUED = {}  # what the stateful layer has in its place; transforms/reverse/ambient.py, api/_engine.py
COPIES = {}  # a view that copies where no strides give one; core/trace/buffers.py, core/trace/shared_memory.py
DEPENDS = {}  # which elements of its output depend on which of an operand; transforms/sparse/pattern.py
GRAM = {}  # `gram(rows, factor, matrix)`: (rows * factor) @ matrix, None if not cheaper; core/tape/lazy_cotangents.py
HOST = {}  # a library computes it on NumPy's arrays, and it refuses others; api/testing/elsewhere.py
LANE = {}  # what makes its public function; core/primitive/families.py, api/testing/mutations.py
LAZY = {}  # its vjp takes undensified cotangents; core/primitive/primitive.py, core/tape/rules.py
LIES = {}  # its answers in memory: as "operands", in "order" where they are, "fresh" always; transforms/graph/layout.py
MOVES = {}  # its vjp moves or repeats elements, adds those that meet; core/primitive/primitive.py, core/tape/rules.py
OF_UNITS = {}  # its answers for the rows of an identity matrix, or None; transforms/interpreters/vmap.py
OWN_WIDTH = {}  # its rules say in which width they compute; core/primitive/primitive.py, core/tape/rules.py
PRODUCT = {}  # worth saving, not computing again; transforms/control/checkpoint.py, transforms/control/hoisting.py
QUIET = {}  # its derivative may overflow where it does not; core/primitive/lanes.py, transforms/interpreters/forward.py
SAMPLES = {}  # `samples(rng)`: operands and parameters for the checker; api/testing/cases.py
SHARES = {}  # its answers may lie in memory of operands or each other, and are no views; transforms/graph/layout.py
SHIFTS = {}  # operands whose plain cotangent is that of the output; core/primitive/lanes.py
STAGED_PARAMS = {}  # what a graph records in place of the parameters; transforms/staging/staging.py

UNDEFINED = {}  # a slope that is a choice at 0: NaN there is no accident that a zero cuts; core/tape/rules.py
VARIES = {}  # of a collective: `varies(given)` over a mesh axis; transforms/graph/equations.py

_TABLES = {name.lower(): table for name, table in list(globals().items()) if name.isupper()}


def file_facts(name, facts):
    """File what the statement of a primitive says beside its rules."""
    for table in _TABLES.values():
        table.pop(name, None)  # a name may be used again
    for fact, value in facts.items():
        if fact not in _TABLES:
            raise RuleError(f"the statement of primitive {name} gives {fact!r}, which nothing reads; the optional "
                            f"facts are {', '.join(_TABLES)}")
        _TABLES[fact][name] = value
