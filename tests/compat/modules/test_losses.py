"""Losses of torch.nn: values, gradients and second gradients, in all reductions; AdaptiveLogSoftmaxWithLoss."""

import warnings

import numpy as np

from harness import message, normal, slopes

CLASSES = [[2, 0, 3], [1, 1, 0]]
# Class, arguments by name, the other arguments of forward: "like" for an input of the same shape, or numbers.
LOSSES = [
    ("L1Loss", {}, ["like"]), ("MSELoss", {}, ["like"]), ("SmoothL1Loss", {"beta": 0.5}, ["like"]),
    ("HuberLoss", {"delta": 0.5}, ["like"]), ("KLDivLoss", {"log_target": True}, ["like"]),
    ("PoissonNLLLoss", {"full": True}, ["positive"]), ("GaussianNLLLoss", {"full": True}, ["like", "positive"]),
    ("BCEWithLogitsLoss", {}, ["part"]), ("HingeEmbeddingLoss", {"margin": 0.7}, ["sign"]), ("SoftMarginLoss", {},
    ["sign"]),
    ("MultiLabelSoftMarginLoss", {}, ["bit"]), ("MarginRankingLoss", {"margin": 0.1}, ["like", "sign"]),
    ("CrossEntropyLoss", {"label_smoothing": 0.1}, ["class"]), ("CrossEntropyLoss", {"ignore_index": 1}, ["class"]),
    ("CrossEntropyLoss", {}, ["part"]), ("NLLLoss", {}, ["class"]), ("MultiMarginLoss", {"margin": 0.5}, ["class"]),
    ("MultiLabelMarginLoss", {}, ["classes"]), ("TripletMarginLoss", {"swap": True}, ["like", "like"]),
    ("TripletMarginWithDistanceLoss", {"margin": 2.0}, ["like", "like"]), ("CosineEmbeddingLoss", {"margin": 0.2},
    ["like", "row sign"]),
]


def argument(torch, kind, k):
    x = normal(torch, 4, 5, seed=k + 1)
    if kind == "like":
        return x
    if kind == "class":
        return torch.tensor([2, 0, 1, 4])
    if kind == "classes":
        return torch.tensor([[2, 0, -1, 1, 1], [4, -1, 0, 0, 0], [0, 1, 2, 3, 4], [-1, 0, 0, 0, 0]])
    if kind == "row sign":
        return torch.tensor([1.0, -1.0, -1.0, 1.0]).double()
    return {"positive": x.abs() + 0.1, "part": x.sigmoid(), "sign": x.sign(), "bit": (x > 0).double()}[kind]


def script_losses_in_all_reductions(torch):
    found = []
    warnings.simplefilter("ignore")
    for name, given, others in LOSSES:
        for reduction in ("mean", "sum", "none"):
            loss = getattr(torch.nn, name)(reduction=reduction, **given)
            more = [argument(torch, kind, k) for k, kind in enumerate(others)]
            found.append([name, *slopes(torch, lambda x, loss=loss, more=more: loss(x, *more), normal(torch, 4, 5)),
                          repr(loss)])
    return found


def script_losses_of_probabilities(torch):
    p = normal(torch, 4, 5).sigmoid()
    target = argument(torch, "part", 0)
    weight = normal(torch, 5).abs()
    bce = torch.nn.BCELoss(weight)
    logits = torch.nn.BCEWithLogitsLoss(pos_weight=weight)
    return [*slopes(torch, lambda x: bce(x, target), p), list(bce.state_dict()), list(logits.state_dict()),
            *slopes(torch, lambda x: logits(x, target), normal(torch, 4, 5)),
            *slopes(torch, lambda x: torch.nn.KLDivLoss(reduction="batchmean")(x, target), p.log())]


def script_weights_of_classes(torch):
    weight = torch.tensor([1.0, 0.5, 2.0, 0.0, 1.5]).double()
    classes = argument(torch, "class", 0)
    images = torch.tensor([CLASSES, CLASSES])
    found = []
    for name in ("CrossEntropyLoss", "NLLLoss", "MultiMarginLoss"):
        loss = getattr(torch.nn, name)(weight=weight)
        found += [*slopes(torch, lambda x, loss=loss: loss(x, classes), normal(torch, 4, 5)), list(loss.state_dict())]
    for loss in (torch.nn.CrossEntropyLoss(weight), torch.nn.NLLLoss(weight, ignore_index=1)):
        found += slopes(torch, lambda x, loss=loss: loss(x, images), normal(torch, 2, 5, 2, 3))
    return found


def script_old_flags_of_losses(torch):
    return [torch.nn.MSELoss(size_average=False).reduction, torch.nn.L1Loss(reduce=False).reduction,
            torch.nn.NLLLoss(None, True).reduction]


def script_alignment_of_sequences(torch):
    x = normal(torch, 6, 2, 5)
    loss = torch.nn.CTCLoss(blank=1, zero_infinity=True)
    targets = torch.tensor([[2, 3, 4], [2, 0, 0]])
    return [*slopes(torch, lambda x: loss(x.log_softmax(2), targets, torch.tensor([6, 5]), torch.tensor([3, 2])), x),
            repr(loss)]


def filled(torch, module):
    module = module.double()
    with torch.no_grad():
        for k, p in enumerate(module.parameters()):
            p.copy_(normal(torch, *p.shape, seed=k))
    return module


def script_many_classes(torch):
    m = filled(torch, torch.nn.AdaptiveLogSoftmaxWithLoss(8, 20, [4, 10], div_value=2.0, head_bias=True))
    x, target = normal(torch, 6, 8), torch.tensor([0, 5, 15, 3, 19, 9])
    out = m(x, target)
    out.loss.backward()
    grads = [(n, p.grad) for n, p in m.named_parameters()]
    return [out.output.detach(), out.loss, type(out).__name__, grads, m.log_prob(x).detach(), m.predict(x),
            [t.detach() for t in m(x[0], target[0])],
            repr(m), *[message(f) for f in (
                lambda: m(x, target[:2]), lambda: m(x, target + 5), lambda: m(x[0], target),
                lambda: m(x, target.view(2, 3)), lambda: torch.nn.AdaptiveLogSoftmaxWithLoss(8, 20, [10, 4]),
                lambda: torch.nn.AdaptiveLogSoftmaxWithLoss(8, 20, []))]]


def script_cross_entropy_of_a_linear_layer(torch):
    x = normal(torch, 4, 3)
    found = []
    for out in ((), (2,)):
        m = filled(torch, torch.nn.LinearCrossEntropyLoss(3, 5, out_features=out, bias=True, label_smoothing=0.1))
        target = torch.tensor(np.arange(4 * (2 if out else 1)).reshape(4, *out) % 5)
        m(x, target).backward()
        found += [m(x, target).detach(), m.linear.weight.grad, m.linear.bias.grad, repr(m), list(m.state_dict())]
    return [*found, torch.nn.LinearCrossEntropyOptions().chunking_method]


def script_refused_losses(torch):
    nn = torch.nn
    return [message(f) for f in (
        lambda: nn.TripletMarginLoss(margin=-1.0), lambda: nn.MultiMarginLoss(p=3), lambda: nn.NLLLoss(5)(1),
        lambda: nn.TripletMarginWithDistanceLoss(margin=0.0), lambda: nn.MSELoss(reduction="all")(torch.ones(1),
        torch.ones(1)))]
