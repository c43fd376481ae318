"""Linear layers, norms, distances, the everyday losses of torch.nn.functional."""

import numpy as np

from ..... import nn
from ....._engine import all_within
from .....extend import REGISTRY
from ..dispatch.call import floating, functional, operation, otherwise, promote, to
from ..dispatch.host_ops import assume, insist, insist_there, peek, primal_of
from ..dispatch.layouts import BY_FORMAT, IN_ORDER, check_broadcast
from ..fastpath.level_lanes import of_tensors
from ..fastpath.linear_lane import linear_lane
from ..modes.warnings import tell
from ..types.arrays import ARRAYS
from ..types.dtypes import type_word
from ..types.number_cache import FLOATS
from .array_functions import cnp
from .axes import wrap_dim
from .reductions import legacy, norm, reduced, vector_norm


def _node(rank, biased):
    """A rule of naming by the rank of the input, and whether there is a bias."""
    def fits(given, named):
        bias = given[2] if len(given) > 2 else named.get("bias")
        input = given[0] if given else named["input"]
        return (bias is not None) is biased and (rank is None or input.ndim == rank)

    return fits


_LINEAR = {
    _node(1, False): "SqueezeBackward4",
    _node(2, False): "MmBackward0",
    _node(None, False): "UnsafeViewBackward0",
    _node(2, True): "AddmmBackward0",
    otherwise: "ViewBackward0",
}


@operation("nn.functional.linear", method=False, lane=linear_lane, node=_LINEAR)
def linear(input, weight, bias=None):
    """Compute `input @ weight.T + bias`."""
    if not input.ndim or not weight.ndim:
        raise RuntimeError(f"both arguments to linear need to be at least 1D, but they are {input.ndim}D and "
                           f"{weight.ndim}D")
    k = weight.shape[-1]
    if input.shape[-1] != k:
        rows = 1
        for n in input.shape[:-1]:
            rows *= n
        raise RuntimeError(f"mat1 and mat2 shapes cannot be multiplied ({rows}x{input.shape[-1]} and "
                           f"{k}x{weight.shape[0]})")
    out = REGISTRY["matmul"].fun(input, weight.T if weight.ndim == 2 else weight)
    return out if bias is None else out + bias


def other_size(input, target):
    """Both with axes, after torch's warning for a target of another size."""
    tell(f"Using a target size (torch.Size({list(target.shape)})) that is different to the input size "
         f"(torch.Size({list(input.shape)})). This will likely lead to incorrect results due to "
         "broadcasting. Please ensure they have the same size.")
    check_broadcast(input, target)
    return tuple(x if x.ndim else cnp.reshape(x, (1,)) for x in (input, target))  # a number's dtype counts, too


@operation("nn.functional.mse_loss", method=False, lane=of_tensors(
    "mean_squared_error", "MseLossBackward0", lambda x, y: x == y, (0, 1)))
def mse_loss(input, target, size_average=None, reduce=None, reduction="mean", weight=None):
    """Compute the mean squared error."""
    reduction = legacy(size_average, reduce, reduction)
    if tuple(input.shape) != tuple(target.shape):
        input, target = other_size(input, target)
    input, target = promote(input, target)
    if weight is None and reduction == "mean" and input.shape == target.shape and input.dtype in FLOATS:
        return REGISTRY["mean_squared_error"].fun(input, target)
    return weighed(cnp.square(input - target), weight, input, reduction)


def weighed(loss, weight, input, reduction):
    """A reduced loss; its mean is that by the weights."""
    if weight is None:
        return reduced(loss, reduction)
    if tuple(weight.shape) != tuple(input.shape):
        raise ValueError("Weights and input must have the same size.")
    loss = loss * weight
    return cnp.sum(loss) / cnp.sum(weight) if reduction == "mean" else reduced(loss, reduction)


def of_images(given, named):
    """Losses of more than one place an example."""
    return (given[0] if given else named["input"]).ndim > 2


@functional("nll_loss", blind=True, ties=True, node={of_images: "NllLoss2DBackward0", otherwise: "NllLossBackward0"})
def nll_loss(input, target, weight=None, size_average=None, ignore_index=-100, reduce=None, reduction="mean"):
    """Compute the negative log-likelihood loss from log-probabilities."""
    reduction = legacy(size_average, reduce, reduction)
    axis = 0 if input.ndim == 1 else 1
    target = labels_of(input, target, axis)
    classes = input.shape[axis]
    if (axis and weight is None and input.ndim == 2 and input.size and target.dtype == np.int64
            and not 0 <= ignore_index < classes
            and assume(lambda target: all_within(target, 0, classes), target)):
        flat = target + np.arange(0, input.size, classes)
        return -reduced(cnp.take(cnp.reshape(input, (-1,)), flat, 0), reduction)
    ignored = target == ignore_index

    def check(target):
        bad = target[((target < 0) | (target >= classes)) & (target != ignore_index)]
        if bad.size:
            raise IndexError(f"Target {int(bad[0])} is out of bounds.")

    insist(check, target)
    safe = cnp.where(ignored, 0, target)
    picked = -cnp.squeeze(cnp.take_along_axis(input, cnp.expand_dims(safe, axis), axis), axis)
    scale = None
    if weight is not None:
        scale = cnp.take(weight, safe, axis=0)
    if assume(lambda target: not (target == ignore_index).any(), target):
        keep = scale
    else:
        keep = (~ignored).astype(input.dtype) if scale is None else cnp.where(ignored, 0.0, scale)
        picked = cnp.where(ignored, 0.0, picked)
    losses = picked if scale is None else picked * scale
    if scale is not None and keep is not scale:
        losses = picked * keep
    if reduction == "none":
        return losses
    total = cnp.sum(losses)
    if reduction == "sum":
        return total
    if reduction != "mean":
        raise ValueError(f"{reduction} is not a valid value for reduction")
    return total / cnp.asarray(cnp.sum(keep) if keep is not None else losses.size, total.dtype)


def labels_of(input, target, axis):
    """The class of each row, in the shape that the loss has."""
    if not input.ndim:
        raise ValueError("Expected 1 or more dimensions (got 0)")
    if axis and target.shape[:1] != input.shape[:1]:
        raise ValueError(f"Expected input batch_size ({input.shape[0]}) to match target batch_size "
                         f"({target.shape[0] if target.ndim else 0}).")
    if target.dtype not in (np.int64, np.uint8):
        raise RuntimeError(f"expected target dtype to be Long or Byte, but got {type_word(target.dtype)}")
    wanted = tuple(input.shape[:axis]) + tuple(input.shape[axis + 1 :])
    if tuple(target.shape) == wanted:
        return target
    if input.ndim == 1 and target.ndim == 1:
        if target.shape[0] == 1:
            return cnp.reshape(target, ())
        raise ValueError(f"For 1D input, 1D target must have size 1, but got target size: {target.shape[0]}")
    if input.ndim < 3:
        raise RuntimeError("0D or 1D target tensor expected, multi-target not supported")
    raise RuntimeError(f"Expected target size {list(wanted)}, got {list(target.shape)}")


@functional("cross_entropy", blind=True)
def cross_entropy(input, target, weight=None, size_average=None, ignore_index=-100, reduce=None, reduction="mean",
                  label_smoothing=0.0):
    """Compute the cross-entropy of logits with class indices or class probabilities."""
    reduction = legacy(size_average, reduce, reduction)
    axis = 0 if input.ndim == 1 else 1
    if not 0 <= label_smoothing <= 1:
        raise RuntimeError(f"label_smoothing must be between 0.0 and 1.0. Got: {label_smoothing}")
    if target.dtype.kind in "fV" and ignore_index >= 0:
        raise RuntimeError("ignore_index is not supported for floating point target")
    probable = target.dtype.kind in "fV"
    if not probable:
        target = labels_of(input, target, axis)
    classes = input.shape[axis]
    if (input.ndim == 2 and input.size and input.dtype.kind == "f" and weight is None and not label_smoothing
            and target.dtype == np.int64 and tuple(target.shape) == (input.shape[0],)
            and not 0 <= ignore_index < classes
            and assume(lambda target: all_within(target, 0, classes), target)):
        return reduced(REGISTRY["cross_entropy"].fun(input, target), reduction)
    logs = REGISTRY["log_softmax"].fun(input, axis)
    if probable:
        if label_smoothing:
            target = target * (1 - label_smoothing) + label_smoothing / classes
        scale = 1 if weight is None else cnp.reshape(weight, (-1,) + (1,) * (input.ndim - 1 - axis))
        losses = -cnp.sum(logs * target * scale, axis=axis)
        if reduction == "mean":
            return cnp.sum(losses) / cnp.asarray(losses.size, losses.dtype)
        return reduced(losses, reduction)
    hard = nll_loss.row.body(logs, target, weight, None, ignore_index, None, reduction)
    if not label_smoothing:
        return hard
    scale = None if weight is None else cnp.reshape(weight, (-1,) + (1,) * (input.ndim - 1 - axis))
    smooth = -cnp.sum(logs if scale is None else logs * scale, axis=axis)
    ignored = target == ignore_index
    smooth = cnp.where(ignored, 0.0, smooth)
    if reduction == "mean":
        if weight is None:
            count = cnp.sum((~ignored).astype(input.dtype))
        else:
            count = cnp.sum(cnp.where(ignored, 0.0, cnp.take(weight, cnp.where(ignored, 0, target), axis=0)))
        smooth = cnp.sum(smooth) / count
    elif reduction == "sum":
        smooth = cnp.sum(smooth)
    return (1 - label_smoothing) * hard + smooth * (label_smoothing / classes)


def _difference(x, y):
    if "b" in (x.dtype.kind, y.dtype.kind):
        raise RuntimeError("Subtraction, the `-` operator, with a bool tensor is not supported. If you are trying to "
                           "invert a mask, use the `~` or `logical_not()` operator instead.")
    x, y = promote(x, y)
    return x - y


@functional("l1_loss")
def l1_loss(input, target, size_average=None, reduce=None, reduction="mean", weight=None):
    """Compute the mean of `|input - target|`."""
    reduction = legacy(size_average, reduce, reduction)
    if tuple(input.shape) != tuple(target.shape):
        input, target = other_size(input, target)
    return weighed(cnp.abs(_difference(input, target)), weight, input, reduction)


@functional("smooth_l1_loss")
def smooth_l1_loss(input, target, size_average=None, reduce=None, reduction="mean", beta=1.0):
    """Compute a loss that is quadratic below `beta` and linear above."""
    reduction = legacy(size_average, reduce, reduction)
    if tuple(input.shape) != tuple(target.shape):
        input, target = other_size(input, target)
    input, target = promote(input, target)
    gap = input - target
    return reduced(cnp.abs(gap) if beta == 0 else _bowl(gap, float(beta), 1.0 / beta, 1.0), reduction)


def _bowl(gap, bend, curve, slope):
    """`curve` times half of the square up to `bend`, and a line of a slope beyond."""
    return REGISTRY["bowl"].fun(gap, bend, curve, slope)


@functional("huber_loss")
def huber_loss(input, target, reduction="mean", delta=1.0, weight=None):
    """Compute a loss that is quadratic below `delta` and linear above."""
    if tuple(input.shape) != tuple(target.shape):
        input, target = other_size(input, target)
    own = input.dtype
    input, target = promote(input, target)
    gap = input - target
    loss = _bowl(gap, float(delta), 1.0, float(delta))
    if weight is not None and tuple(weight.shape) != tuple(input.shape):
        raise ValueError("Weights and input must have the same size.")
    return to(reduced(loss if weight is None else loss * weight, reduction), own)


@functional("binary_cross_entropy")
def binary_cross_entropy(input, target, weight=None, size_average=None, reduce=None, reduction="mean"):
    """Compute the binary cross-entropy of probabilities."""
    reduction = legacy(size_average, reduce, reduction)
    if tuple(input.shape) != tuple(target.shape):
        raise ValueError(f"Using a target size (torch.Size({list(target.shape)})) that is different to the input size "
                         f"(torch.Size({list(input.shape)})) is deprecated. Please ensure they have the same size.")
    for name, x in (("input", input), ("target", target)):

        def check(values, name=name):
            if values.size and not (values.min() >= 0 and values.max() <= 1):  # NaN is neither
                raise RuntimeError(f"all elements of {name} should be between 0 and 1")

        insist_there(check, x)
    if input.dtype != target.dtype:
        raise RuntimeError(f"Found dtype {type_word(target.dtype)} but expected {type_word(input.dtype)}")
    losses = REGISTRY["binary_cross_entropy"].fun(input, target)
    return reduced(losses if weight is None else losses * weight, reduction)


@functional("binary_cross_entropy_with_logits")
def binary_cross_entropy_with_logits(input, target, weight=None, size_average=None, reduce=None, reduction="mean",
                                     pos_weight=None):
    """Compute the binary cross-entropy of logits."""
    reduction = legacy(size_average, reduce, reduction)
    if tuple(input.shape) != tuple(target.shape):
        raise ValueError(f"Target size (torch.Size({list(target.shape)})) must be the same as input size "
                         f"(torch.Size({list(input.shape)}))")
    if target.dtype.kind == "b":
        raise RuntimeError("Subtraction, the `-` operator, with a bool tensor is not supported. If you are trying to "
                           "invert a mask, use the `~` or `logical_not()` operator instead.")
    if target.dtype.kind in "iu":
        raise RuntimeError(f"result type {type_word(input.dtype)} can't be cast to the desired output type "
                           f"{type_word(target.dtype)}")
    softplus = REGISTRY["softplus"].fun(-input)
    if pos_weight is None:
        losses = (1 - target) * input + softplus
    else:
        losses = (1 - target) * input + (1 + (pos_weight - 1) * target) * softplus
    losses = losses.astype(target.dtype)  # where torch computes them
    return reduced(losses if weight is None else to(losses * weight, target.dtype), reduction)


@functional("kl_div")
def kl_div(input, target, size_average=None, reduce=None, reduction="mean", log_target=False):
    """Compute the Kullback-Leibler divergence from log-probabilities."""
    reduction = legacy(size_average, reduce, reduction)
    if target.dtype.kind in "biuc":
        raise RuntimeError(f"kl_div: {'Complex' if target.dtype.kind == 'c' else 'Integral'} inputs not supported.")
    some = target != 0  # below 0 the logarithm is NaN
    log = target if log_target else cnp.log(cnp.where(some, target, 1.0))  # in the dtype of the target
    factor, (log, input) = cnp.exp(target) if log_target else target, promote(log, input)
    losses = to(factor, log.dtype) * (log - input)
    if not log_target:
        losses = cnp.where(some, losses, 0.0)
    if reduction == "batchmean":
        return cnp.sum(losses) / (input.shape[0] if input.ndim else 1)
    return reduced(losses, reduction)


@functional("one_hot", blind=True)
def one_hot(tensor, num_classes=-1):
    """Encode class indices as one-hot vectors."""
    if tensor.dtype != np.int64:
        raise RuntimeError("one_hot is only applicable to index tensor of type LongTensor.")
    given = num_classes != -1
    plain = peek(tensor) if given else primal_of(tensor)
    if not given:
        if type(plain) not in ARRAYS:
            raise RuntimeError("When vmap-ing torch.nn.functional.one_hot, please provide an explicit positive "
                               "num_classes argument.")
        if not plain.size:
            raise RuntimeError("Can not infer total number of classes from empty tensor.")
        num_classes = int(plain.max()) + 1
    if plain is None or type(plain) in ARRAYS:

        def check(classes):
            if classes.size and classes.min() < 0:
                raise RuntimeError("Class values must be non-negative.")
            if classes.size and classes.max() >= num_classes:
                raise RuntimeError("Class values must be smaller than num_classes.")

        insist(check, tensor)
    return nn.one_hot(tensor, num_classes, dtype=np.int64)


@functional("normalize")
def normalize(input, p=2.0, dim=1, eps=1e-12):
    """Divide by the norm along an axis, at least `eps`."""
    size = norm.row.body(input, p, dim, True)
    return input / cnp.where(size < eps, cnp.asarray(eps, size.dtype), size)


@functional("cosine_similarity")
def cosine_similarity(x1, x2, dim=1, eps=1e-8):
    """Compute the cosine similarity along an axis."""
    x1, x2 = promote(x1, x2)
    if x1.dtype.kind not in "fV":
        raise RuntimeError(f"expected common dtype to be floating point, yet common dtype is {type_word(x1.dtype)}")
    check_broadcast(x1, x2)
    shape = np.broadcast_shapes(tuple(x1.shape), tuple(x2.shape))
    axis, sides = wrap_dim(dim, len(shape)), []
    for x in (x1, x2):
        x = x if tuple(x.shape) == shape else cnp.broadcast_to(x, shape)
        size = vector_norm.row.body(x, 2, axis, True)
        small = REGISTRY["stop_gradient"].fun(cnp.maximum(size, eps) - size)  # torch clamps without recording it
        sides.append(x / (size + small))
    return cnp.sum(sides[0] * sides[1], axis=axis)


@functional("pairwise_distance")
def pairwise_distance(x1, x2, p=2.0, eps=1e-6, keepdim=False):
    """Compute the norm of the difference along the last axis."""
    if np.bool_ in (x1.dtype, x2.dtype):
        which = "two bool tensors" if x1.dtype == x2.dtype else "a bool tensor"
        raise RuntimeError(f"Subtraction, the `-` operator, with {which} is not supported. Use the `^` or "
                           "`logical_xor()` operator instead.")
    x1, x2 = promote(x1, x2)
    return vector_norm.row.body(floating(x1 - x2) + eps, p, -1, keepdim)


@functional("layer_norm", layout=IN_ORDER)
def layer_norm(input, normalized_shape, weight=None, bias=None, eps=1e-05):
    """Normalize over the last axes."""
    n = len(tuple(normalized_shape))
    if tuple(input.shape[input.ndim - n :]) != tuple(normalized_shape):
        raise RuntimeError(f"Given normalized_shape={list(normalized_shape)}, expected input with shape [*, "
                           f"{', '.join(map(str, normalized_shape))}], but got input of size{list(input.shape)}")
    return to(nn.layer_norm(input, weight, bias, axes=n, eps=eps), input.dtype)


@functional("rms_norm", layout=BY_FORMAT)
def rms_norm(input, normalized_shape, weight=None, eps=None):
    """Divide by the root mean square over the last axes."""
    axes = tuple(range(input.ndim - len(tuple(normalized_shape)), input.ndim))
    x = input.astype(np.float32) if input.dtype.itemsize == 2 else input  # halves compute in float32
    eps = np.finfo(x.dtype).eps if eps is None else eps
    out = x / cnp.sqrt(REGISTRY["reduce_mean"].fun(x * x, axes, True) + float(eps))
    return to(out if weight is None else out * weight, input.dtype)
