"""Optional facts of primitives, given in the statement beside the rules, each with its one or two readers."""

from .types import Any

REGISTRY = {}  # name -> Primitive: below those who ask for one declared above them, as buffers do for their writes


class Facts:
    """Optional facts of a primitive beside its rules, with their defaults and readers."""

    __slots__ = ()
    absent: Any = None  # {case of the audit: why the operation has none}; tests/testing/rig/audit.py
    accepts_none = False  # its vjp handles missing cotangents of several answers; core/tape/tape.py
    # a collective over an axis of a trace; transforms/interpreters/vmap.py, transforms/collectives/varying.py
    across: Any = None
    # given avals and parameters: whether its own loops beat native code; transforms/compile/call/partition.py
    alone: Any = None
    # {operand index: Formula of its cotangents for all unit cotangents, had for free}; core/tape/tape.py
    basis: Any = None
    # what mixes: reductions, lines, last axes; core/tape/strong_zeros.py, transforms/control/control.py
    blocks: Any = None
    bounds: Any = None  # of an extreme: its answer with where x won, and the rule of `where`; core/primitive/lanes.py
    broadcasts = False  # operands against each other, though it is not elementwise; tests/testing/rig/audit.py
    chosen: Any = None  # {operand: its rule where zeros cut}; core/primitive/families.py, core/tape/tape.py
    continued: Any = None  # what the stateful layer has in its place; transforms/reverse/ambient.py, compat/torch
    # which elements depend on which of an operand; transforms/sparse/pattern.py, transforms/staging/passes.py
    depends: Any = None
    # `gram(rows, factor, matrix)`: (rows * factor) @ matrix, None if not cheaper; core/tape/lazy_cotangents.py
    gram: Any = None
    host = False  # a library computes it on NumPy's arrays, and it refuses others; api/testing/elsewhere.py
    lane: Any = None  # what makes its public function; tests/testing/rig/mutations.py
    lazy = False  # its vjp takes undensified cotangents; core/primitive/primitive.py, core/tape/tape.py
    lies: Any = None  # its answers: as "operands" do, in "order" if they do, always "fresh"; transforms/graph/layout.py
    # its vjp moves or repeats elements, adds those that meet; core/primitive/primitive.py, core/tape/tape.py
    moves = False
    of_units: Any = None  # its answers for the rows of an identity matrix, or None; transforms/interpreters/vmap.py
    own_width = False  # its rules say in which width they compute; core/primitive/primitive.py, core/tape/tape.py
    # its derivative may overflow where it does not; core/primitive/lanes.py, transforms/interpreters/forward.py
    quiet: Any = None
    samples: Any = None  # `samples(rng)`: operands and parameters for the checker; api/testing/cases.py
    # its answers may lie in memory of operands or each other, and are no views; transforms/graph/layout.py
    shares = False
    shifts: Any = None  # operands whose plain cotangent is that of the output; core/primitive/lanes.py
    staged_params: Any = None  # what a graph records in place of the parameters; transforms/staging/staging.py
    undefined = False  # a slope that is a choice at 0: NaN there is no accident that a zero cuts; core/tape/tape.py
    varies: Any = None  # of a collective: `varies(given)` over a mesh axis; transforms/graph/equations.py
    only: Any = None  # "jvp" or "vjp", where derivatives of the other kind are unknown; transforms/sparse/maps.py


class Operation(Facts):
    """Traits of an operation that any pass may ask for; an operation without a statement stands in drafts alone."""

    handlers: Any = None
    lower: Any = None
    outputs: Any = None
    ufunc: Any = None
    params: tuple[Any, ...] = ()
    effects: frozenset[str] = frozenset()
    parts = False  # it stands for the `equations` of a draft
    bilinear = composite = elementwise = flat = variadic = view = zeros = False
    copies = False  # a view that copies where no strides give one
    costly = False  # it takes as long as a function of each element, though no ufunc of NumPy computes it
    control: Any = None  # how it runs its bodies: "scan" for each row, "while" one tells, "branch" one of them
    exchanges: Any = None  # the method of a group of ranks that it calls
    flow: Any = None  # `flow(eq, flags, inside, join)`: what is known of its outputs by what is of its operands
    guards = False  # it gives its second operand, but 0 where that is NaN and the first is 0
    lapack: Any = None  # given its parameters: NumPy's ufunc that calls LAPACK, and whether of the Hermitian part
    product: Any = None  # a product of "matrices", or of what its "subscripts" say: worth saving, not computing again
    rearranges = False  # a view, by strides, of a part or all of the elements
    reduces: Any = None  # the ufunc that folds elements along its `axes`
    identity = False  # of real numbers it gives its first operand
    turns: Any = None  # of a loop, given its parameters: how often its bodies run, or None if values say it
    updates = False  # a copy of its first operand with the second at an `index` of it, or added there
    written: Any = None  # how NumPy says it of arrays, a format of its operands and parameters

    def __init__(self, name, **facts):
        self.name = name
        self.__dict__.update(facts)


TRAITS = """control copies costly exchanges flow guards identity lapack product rearranges reduces turns updates
    written""".split()
FACTS = (*[name for name in vars(Facts) if not name.startswith("_")], *TRAITS)
