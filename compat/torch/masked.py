"""torch.masked: reductions and normalizations over the elements that a mask keeps."""

from ._impl.dispatch import surface as _surface
from ._impl.dispatch.unbuilt_parts import parts as _parts
from ._impl.ops.masked import (
    amax as amax,
    amin as amin,
    argmax as argmax,
    argmin as argmin,
    cumprod as cumprod,
    cumsum as cumsum,
    log_softmax as log_softmax,
    logaddexp as logaddexp,
    logsumexp as logsumexp,
    mean as mean,
    median as median,
    norm as norm,
    normalize as normalize,
    prod as prod,
    softmax as softmax,
    softmin as softmin,
    std as std,
    sum as sum,
    var as var,
)


def is_masked_tensor(obj, /):
    """False: there are no `MaskedTensor`s here; the functions of this module take masks."""
    return False


globals().update(_parts("masked", "MaskedTensor", "as_masked_tensor masked_tensor"))
__getattr__ = _surface.getter("masked.", "torch.masked")
_surface.publish(globals())
