"""The record of a tensor: what few tensors have. Compiled with record_slots.pxd."""


class Record:
    """Facts of few tensors: gradient, hooks, the base and steps of a view, a tangent, an explicit version counter."""

    def __cinit__(self):
        self.steps = self.relaid = self.forward_steps = ()


DEFAULTS = {
    "base": None,  # the root of a view, never a view itself
    "steps": (),
    "attr_version": 0,  # the version of the memory at which `node` was valid
    "creation": None,  # None, "no_grad", "multi", "custom", "inference": how a view was made
    "tangent": None,  # (epoch, Tensor)
    "inference": False,
    "forward_base": None,  # the dual tensor that a view was taken of
    "forward_steps": (),  # from `forward_base`
    "put": None,  # what the fast road keeps of a view that is written to
    "relaid": (),  # of a base that changed its shape in place: the steps back to older shapes, newest first
    "since": 0,  # of a view: how many of the steps of `relaid` its own know of
    "grad": None,
    "hooks": None,
    "post": None,  # the hooks behind the accumulation of a gradient
    "accumulator": None,  # a weak reference to the node of a leaf
    "retains": False,  # whether the gradient of what is no leaf is kept
    "grad_dtype": None,
    "cell": None,  # the version of a tensor without memory of its own kind (FOREIGN)
    "mapped": None,  # of a value of a vmap: what it was made of, and the mapped axis of that, if not the first
}
if not hasattr(Record, "base"):  # interpreted, the defaults are the class's: assignments would cost more
    for name, value in DEFAULTS.items():
        setattr(Record, name, value)
