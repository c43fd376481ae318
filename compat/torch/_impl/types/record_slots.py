"""The fields of a tensor's record that fast roads read. Compiled with record_slots.pxd."""


class RecordSlots:
    """The fields of a `Record`, which says what else there is."""

    def __cinit__(self):
        self.steps = self.relaid = ()


DEFAULTS = {
    "base": None,  # the root of a view, never a view itself
    "steps": (),
    "attr_version": 0,  # the version of the memory at which `node` was valid
    "creation": None,  # None, "no_grad", "multi", "custom", "inference": how a view was made
    "tangent": None,  # (epoch, Tensor)
    "inference": False,
    "forward_base": None,  # the dual tensor that a view was taken of
    "put": None,  # what the fast road keeps of a view that is written to
    "relaid": (),  # of a base that changed its shape in place: the steps back to older shapes, newest first
}
if not hasattr(RecordSlots, "base"):  # interpreted, the defaults are the class's: assignments would cost more
    for name, value in DEFAULTS.items():
        setattr(RecordSlots, name, value)
