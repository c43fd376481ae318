"""Losses beyond the everyday ones: margins, pairs, triplets, Poisson, Gauss, and alignments of sequences."""

import math

import numpy as np

from ....._engine import all_within
from ....._primitives import stop_gradient
from .....extend import REGISTRY, constant
from ..dispatch.call import ROWS, floating, functional, method, promote, to
from ..dispatch.host_ops import insist_there, on_host, primal_of, stripped
from ..types.arrays import ARRAYS
from ..types.dtypes import type_word
from .array_functions import cnp
from .reductions import legacy, reduced, vector_norm

pairwise = ROWS["nn.functional.pairwise_distance"].body


@functional("poisson_nll_loss")
def poisson_nll_loss(input, target, log_input=True, full=False, size_average=None, eps=1e-8, reduce=None,
                     reduction="mean"):
    """Compute the negative log-likelihood of counts under a Poisson distribution."""
    reduction = legacy(size_average, reduce, reduction)
    gain, rate = (input, floating(input)) if log_input else (cnp.log(floating(input) + eps), input)
    gain, hits = promote(gain, target)
    rate, gain = promote(cnp.exp(rate) if log_input else rate, hits * gain)
    loss = rate - gain
    if full:
        large, target = target > 1, floating(target)
        safe = cnp.where(large, target, np.asarray(2, target.dtype))
        stirling = safe * cnp.log(safe) - safe + 0.5 * cnp.log(2 * math.pi * safe)
        loss = loss + to(cnp.where(large, stirling, np.zeros((), target.dtype)), loss.dtype)
    return reduced(loss, reduction)


@functional("gaussian_nll_loss")
def gaussian_nll_loss(input, target, var, full=False, eps=1e-6, reduction="mean"):
    """Compute the negative log-likelihood under a normal distribution."""
    if not hasattr(var, "dtype"):
        if var < 0:
            raise ValueError("var has negative entry/entries")
        kept = input.dtype.kind in "fc" or type(var) is not float  # as `var * ones_like(input)`
        var = np.full(input.shape, var, input.dtype if kept else floating(np.zeros((), input.dtype)).dtype)
    if tuple(var.shape) != tuple(input.shape):
        if tuple(input.shape[:-1]) == tuple(var.shape):
            var = cnp.expand_dims(var, -1)
        elif input.ndim != var.ndim or sum([n for m, n in zip(input.shape, var.shape) if m != n]) != 1:
            raise ValueError("var is of incorrect size")
    if var.dtype.kind in "biu":
        raise RuntimeError("result type Float can't be cast to the desired output type "
                           f"{type_word(var.dtype)}")
    insist_there(_no_negative, var)
    if reduction not in ("none", "mean", "sum"):
        raise ValueError(reduction + " is not valid")
    var = var + stop_gradient(cnp.where(var < eps, eps - var, np.zeros((), var.dtype)))  # torch clamps without grad
    for v in (input, target):
        no_booleans(v)
    input, target, var = promote(input, target, var)
    loss = 0.5 * (cnp.log(var) + (input - target) ** 2 / var)
    if full:
        loss = loss + 0.5 * math.log(2 * math.pi)
    return reduced(loss, reduction)


def _no_negative(var):
    if (var < 0).any():
        raise ValueError("var has negative entry/entries")


@functional("margin_ranking_loss")
def margin_ranking_loss(input1, input2, target, margin=0, size_average=None, reduce=None, reduction="mean"):
    """Compute `max(0, -target * (input1 - input2) + margin)`."""
    reduction = legacy(size_average, reduce, reduction)
    if not input1.ndim == input2.ndim == target.ndim:
        raise RuntimeError(f"margin_ranking_loss : All input tensors should have same dimension but got sizes: input1: "
                           f"{list(input1.shape)}, input2: {list(input2.shape)}, target: {list(target.shape)} ")
    for v in (input1, input2, target):
        no_booleans(v)
    sign, gap = promote(-target, cnp.subtract(*promote(input1, input2)))
    return reduced(above(floating(sign * gap) + margin), reduction)


def no_booleans(x):
    """torch's refusal of differences of booleans."""
    if getattr(x, "dtype", None) == np.bool_:
        raise RuntimeError("Subtraction, the `-` operator, with a bool tensor is not supported. If you are trying to "
                           "invert a mask, use the `~` or `logical_not()` operator instead.")


def above(x, least=0.0):
    """`x` where it is not below `least`, whose derivative is 1 there, as torch's clamp_min's."""
    if x.dtype.kind == "f":
        return REGISTRY["clamp"].fun(x, float(least), np.inf)
    return cnp.where(x < least, np.asarray(least, x.dtype), x)


@functional("cosine_embedding_loss")
def cosine_embedding_loss(input1, input2, target, margin=0, size_average=None, reduce=None, reduction="mean"):
    """Compute a loss on the cosine similarity of pairs labeled 1 or -1."""
    reduction = legacy(size_average, reduce, reduction)
    if target.ndim not in (0, 1):
        raise RuntimeError("0D or 1D target tensor expected, multi-target not supported")
    if target.ndim == 1 and input1.ndim != 2 or target.ndim == 0 and input1.ndim != 1:
        raise RuntimeError(f"{target.ndim}D target tensor expects {target.ndim + 1}D input tensors, but found inputs "
                           f"with sizes {list(input1.shape)} and {list(input2.shape)}.")
    eps, axis = 1e-12, target.ndim
    input1, input2 = floating(input1), floating(input2)
    inner = cnp.sum(input1 * input2, axis=axis)
    a, b = (cnp.sum(x * x, axis=axis) + eps for x in (input1, input2))
    cosine = inner / cnp.sqrt(a * b)
    zero = cosine * 0
    loss = cnp.where(target == 1, 1 - cosine, zero) + cnp.where(target == -1, above(cosine - margin), zero)
    return reduced(loss, reduction)


@functional("triplet_margin_loss")
def triplet_margin_loss(anchor, positive, negative, margin=1.0, p=2, eps=1e-6, swap=False, size_average=None,
                        reduce=None, reduction="mean"):
    """Compute `max(0, d(anchor, positive) - d(anchor, negative) + margin)`."""
    reduction = legacy(size_average, reduce, reduction)
    if margin <= 0:
        raise ValueError(f"margin must be greater than 0, got {margin}")
    one_rank(anchor, positive, negative)
    for v in (anchor, positive, negative):
        no_booleans(v)
    near, far = pairwise(anchor, positive, p, eps), pairwise(anchor, negative, p, eps)
    if swap:
        far = cnp.minimum(*promote(far, pairwise(positive, negative, p, eps)))
    return reduced(above(cnp.subtract(*promote(margin + near, far))), reduction)


def one_rank(anchor, positive, negative):
    """torch's refusal of triplets of different ranks."""
    if not anchor.ndim == positive.ndim == negative.ndim:
        raise RuntimeError("The anchor, positive, and negative tensors are expected to have the same number of "
                           f"dimensions, but got: anchor {anchor.ndim}D, positive {positive.ndim}D, and negative "
                           f"{negative.ndim}D inputs")


@method("nn.functional.triplet_margin_with_distance_loss", attached=False)
def triplet_margin_with_distance_loss(anchor, positive, negative, *, distance_function=None, margin=1.0, swap=False,
                                      reduction="mean"):
    """Compute the triplet margin loss with a given distance function."""
    if reduction not in ("mean", "sum", "none"):
        raise ValueError(f"{reduction} is not a valid value for reduction")
    if margin <= 0:
        raise ValueError(f"margin must be greater than 0, got {margin}")
    one_rank(anchor, positive, negative)
    distance = distance_function or ROWS["nn.functional.pairwise_distance"].fun
    near, far = distance(anchor, positive), distance(anchor, negative)
    if swap:
        far = ROWS["minimum"].fun(far, distance(positive, negative))
    loss = (near - far + margin).clamp_min(0.0)
    return loss.mean() if reduction == "mean" else loss.sum() if reduction == "sum" else loss


@functional("hinge_embedding_loss")
def hinge_embedding_loss(input, target, margin=1.0, size_average=None, reduce=None, reduction="mean"):
    """Compute a hinge loss on distances of pairs labeled 1 or -1."""
    reduction = legacy(size_average, reduce, reduction)
    no_booleans(input)
    zero = np.zeros((), input.dtype)
    margin = input.dtype.type(margin) if input.dtype.kind in "iu" else margin  # cut off, as in PyTorch
    loss = cnp.where(target != 1, above(margin - input), zero) + cnp.where(target != -1, input, zero)
    return reduced(loss, reduction)


@functional("soft_margin_loss")
def soft_margin_loss(input, target, size_average=None, reduce=None, reduction="mean"):
    """Compute `log(1 + exp(-target * input))`."""
    reduction = legacy(size_average, reduce, reduction)
    return reduced(cnp.log1p(cnp.exp(-to(target, input.dtype) * input)), reduction)


def known_reduction(reduction):
    """torch's refusal of other reductions."""
    if reduction not in ("none", "mean", "sum"):
        raise ValueError(f"{reduction} is not a valid value for reduction")


@functional("multi_margin_loss")
def multi_margin_loss(input, target, p=1, margin=1.0, weight=None, size_average=None, reduce=None, reduction="mean"):
    """Compute the multi-class hinge loss."""
    reduction = legacy(size_average, reduce, reduction)
    known_reduction(reduction)
    if weight is not None and weight.ndim != 1:
        raise ValueError("weight must be one-dimensional")
    if p not in (1, 2):
        raise ValueError("only p == 1 and p == 2 supported")
    if target.dtype != np.int64:
        raise RuntimeError(f"expected scalar type Long but found {type_word(target.dtype)}")
    x = input if input.ndim == 2 else cnp.expand_dims(input, 0)
    x = x if input.ndim else cnp.expand_dims(x, 0)
    t = target if target.ndim == 1 else cnp.reshape(target, (-1,))
    if x.ndim != 2 or not x.shape[1] or t.shape[0] != x.shape[0]:
        raise RuntimeError("multi_margin_loss: target tensor should be 1-D with size equal to the number of input "
                           f"samples (batch size). Expected target size {[x.shape[0]]}, but got {list(target.shape)}. "
                           f"Input has shape {list(input.shape)}.")
    if weight is not None and weight.size != x.shape[1]:
        raise RuntimeError(f"inconsistent weight size, expected {x.shape[1]} but got {list(weight.shape)}")
    plain = primal_of(t)
    if type(plain) in ARRAYS and not all_within(plain, 0, x.shape[1]):
        raise RuntimeError("target out of range")
    if not x.shape[0] and reduction == "mean":
        return cnp.sum(input)
    own = cnp.take_along_axis(x, cnp.expand_dims(t, 1), 1)
    gap = margin - own + x
    gap = cnp.where(gap > 0, gap, np.zeros((), x.dtype))
    gap = gap if p == 1 else gap * gap
    if weight is not None:
        gap = gap * cnp.expand_dims(cnp.take(weight, t, axis=0), 1)
    others = np.arange(x.shape[1]) != cnp.expand_dims(t, 1)
    loss = cnp.sum(cnp.where(others, gap, np.zeros((), x.dtype)), axis=1) / x.shape[1]
    return reduced(loss if input.ndim == 2 else loss[0], reduction)


def _labels_within(array, n):
    if not all_within(array, -1, n):
        raise RuntimeError("argument #2 'target' is out of range")


@functional("multilabel_margin_loss", blind=True)
def multilabel_margin_loss(input, target, size_average=None, reduce=None, reduction="mean"):
    """Compute the multi-label hinge loss."""
    reduction = legacy(size_average, reduce, reduction)
    known_reduction(reduction)
    if target.dtype != np.int64:
        raise RuntimeError(f"expected scalar type Long but found {type_word(target.dtype)}")
    if tuple(target.shape) != tuple(input.shape):
        raise RuntimeError(f"inconsistent target size: {list(target.shape)} for input of size: {list(input.shape)}")
    x, t = (v if v.ndim == 2 else cnp.reshape(v, (1, -1)) for v in (input, target))
    n = x.shape[1]
    if input.ndim > 2 or not n:
        raise RuntimeError(f"Expected non-empty vector or matrix with optional 0-dim batch size, but got: "
                           f"{list(input.shape)}")
    insist_there(lambda array: _labels_within(array, n), target)
    loss = REGISTRY["multilabel_hinge"].fun(x, stripped(t))
    return reduced(loss if input.ndim == 2 else loss[0], reduction)


@functional("multilabel_soft_margin_loss")
def multilabel_soft_margin_loss(input, target, weight=None, size_average=None, reduce=None, reduction="mean"):
    """Compute the mean binary cross-entropy of logits over the classes."""
    reduction = legacy(size_average, reduce, reduction)
    no_booleans(target)
    yes, no, target, rest = promote(cnp.logaddexp(-input, 0.0), cnp.logaddexp(input, 0.0), target, 1 - target)
    loss = target * yes + rest * no
    loss = loss if weight is None else loss * weight
    return reduced(cnp.sum(loss, axis=input.ndim - 1) / input.shape[-1], reduction)


@functional("pdist")
def pdist(input, p=2.0):
    """Compute the pairwise distances between the rows of a matrix."""
    if input.ndim != 2:
        raise RuntimeError(f"pdist only supports 2D tensors, got: {input.ndim}D")
    if input.dtype.kind not in "fV":
        raise RuntimeError("pdist only supports floating-point dtypes")
    if p < 0:
        raise RuntimeError("pdist only supports non-negative p values")
    if p in (1, 2, float("inf")) and input.dtype.kind == "f" and input.dtype.itemsize > 2:
        return REGISTRY["pair_distances"].fun(input, input, int(p) if p < 3 else p, True)
    rows, columns = np.triu_indices(input.shape[0], 1)
    return vector_norm.row.body(input[rows] - input[columns], p, -1)


_POSSIBLE = -1e29  # the logarithm of what cannot happen is finite, and below this


@functional("ctc_loss")
def ctc_loss(log_probs, targets, input_lengths, target_lengths, blank=0, reduction="mean", zero_infinity=False):
    """Compute the connectionist temporal classification loss."""
    if log_probs.dtype.kind != "f":
        raise NotImplementedError(f"\"ctc_loss_cpu\" not implemented for '{type_word(log_probs.dtype)}'")
    single = log_probs.ndim == 2
    x = cnp.expand_dims(log_probs, 1) if single else log_probs
    if x.ndim != 3:
        raise _wrong_for_ctc(f"3-dimensional tensor, but got {x.ndim}-dimensional tensor for argument #1 'log_probs'")
    frames, batch, classes = x.shape
    if not 0 <= blank < classes:
        raise RuntimeError("blank must be in label range")
    given = on_host(primal_of(targets))
    lengths = [on_host(primal_of(v)) if hasattr(v, "dtype") else np.asarray(v)
               for v in (input_lengths, target_lengths)]
    frames_of, labels_of = [np.atleast_1d(v).astype(np.int64) for v in lengths]
    if len(frames_of) != batch:
        raise RuntimeError("input_lengths must be of size batch_size")
    if len(labels_of) != batch:
        raise RuntimeError("target_lengths must be of size batch_size")
    for what, v, wrong, bound in (("input_lengths", frames_of, frames_of < 0, "least 0"),
                                  ("target_lengths", labels_of, labels_of < 0, "least 0"),
                                  ("input_lengths", frames_of, frames_of > frames, f"most {frames}")):
        if wrong.any():
            raise _wrong_for_ctc(f"{what} to have value at {bound}, but got value {v[wrong][0]}")
    longest, total = int(labels_of.max(initial=0)), int(labels_of.sum())
    if not 1 <= given.ndim <= 2:
        raise _wrong_for_ctc(f"1 to 2 dimensions, but got {given.ndim}-dimensional tensor for argument #2 'targets'")
    expected = total if given.ndim == 1 else batch
    if len(given) != expected:
        raise _wrong_for_ctc(f"tensor to have size {expected} at dimension 0, but got size {len(given)} for argument "
                             "#2 'targets'")
    if given.ndim == 2 and given.shape[1] < longest:
        raise _wrong_for_ctc(f"tensor to have size at least {longest} at dimension 1, but got size {given.shape[1]} "
                             "for argument #2 'targets'")
    labels = np.zeros((batch, longest), np.int64)
    own = np.arange(longest) < labels_of[:, None]
    labels[own] = given if given.ndim == 1 else given[:, :longest][own]
    states = 2 * longest + 1
    path = np.full((batch, states), blank)
    path[:, 1::2] = labels
    likelihood = REGISTRY["ctc_likelihood"].fun(x, *[constant(v, x) for v in (path, frames_of, labels_of)])
    lost = likelihood < _POSSIBLE
    loss = cnp.where(lost, np.asarray(0.0 if zero_infinity else np.inf, x.dtype), -likelihood)
    if reduction == "mean":
        return cnp.sum(loss / constant(np.maximum(labels_of, 1).astype(x.dtype), x)) / batch
    return reduced(loss[0] if single else loss, reduction)


def _wrong_for_ctc(what):
    return RuntimeError(f"Expected {what} (while checking arguments for ctc_loss_allocate_outputs)")
