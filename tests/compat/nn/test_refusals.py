"""Layers called with shapes and numbers that PyTorch refuses: the same refusals, by type."""

import warnings

from harness import attempt, table


def refusals(torch, lines):
    """What each call gives: the shape of its answer, or the type of its error; once-a-process warnings are left out."""
    def line(text):
        found = attempt(lambda: eval(text, {"F": torch.nn.functional, "T": torch, "o": torch.ones}))
        return found[1] if isinstance(found, tuple) and found[:1] == ("raised",) else tuple(found.shape)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return [(text, line(text)) for text in lines.strip().splitlines()]


def script_groups(torch):
    return refusals(torch, """
F.group_norm(o(2, 4), 2)
F.group_norm(o(4), 2)
F.group_norm(o(1, 2), 2)
F.group_norm(o(1, 4, 1), 4)
F.group_norm(o(2, 7, 4), 2)
F.group_norm(o(2, 4, 3), 2, o(3))
F.group_norm(o(2, 4, 3), 2, None, o(3))
F.group_norm(o(2, 4, 3), 2, o(4, 1))
F.group_norm(o(0, 4, 3), 2)
F.group_norm(o(2, 4, 0), 2)
""")


def script_adaptive_pools(torch):
    return refusals(torch, """
F.adaptive_avg_pool2d(o(2, 2), (2, 2))
F.adaptive_avg_pool2d(o(2, 2), 2)
F.adaptive_avg_pool2d(o(1, 2, 2), (2, 2, 2))
F.adaptive_avg_pool2d(o(1, 2, 2), (2, -1))
F.adaptive_avg_pool2d(o(1, 2, 2), (0, 2))
F.adaptive_avg_pool3d(o(2, 2, 2), (2, 2, 2))
F.adaptive_avg_pool1d(o(1, 2, 2), -1)
F.adaptive_max_pool1d(o(1, 2, 2), -1)
F.adaptive_max_pool2d(o(2, 2), (2, 2))
F.adaptive_max_pool2d(o(1, 2, 2), (-1, 1))
F.adaptive_max_pool3d(o(2, 2, 2), (2, 2, 2))
""")


def script_pools(torch):
    return refusals(torch, """
F.max_pool1d(o(0, 10), 1)
F.max_pool1d(o(0, 2, 10), 1)
F.max_pool1d(o(2, 0, 10), 1)
F.max_pool2d(o(0, 2, 10), 1)
F.max_pool2d(o(0, 2, 2, 10), 1)
F.max_pool3d(o(0, 2, 2, 10), 1)
F.max_pool3d(o(0, 2, 2, 2, 10), 1)
F.max_pool1d(o(3, 10), 2, padding=-1)
F.max_pool1d(o(0, 1, 49), 2, 50, -1, return_indices=True)[0]
F.max_pool2d(o(3, 10, 10), 2, padding=-1)
F.max_pool2d(o(3, 10, 10), 2, padding=-1, return_indices=True)[0]
F.max_pool2d(o(3, 10, 10), 2, 0)
F.max_pool2d(o(3, 10, 10), 0)
F.max_pool2d(o(3, 10, 10), 2, dilation=0)
F.avg_pool1d(o(3, 10), 2, 0)
F.avg_pool2d(o(3, 10, 10), 0)
F.avg_pool2d(o(0, 3, 10, 10), 2)
F.avg_pool2d(o(3, 10, 10), 2, padding=2)
F.avg_pool2d(o(3, 10, 10), 2, padding=-1)
F.avg_pool3d(o(3, 10, 10, 10), 2, padding=2)
F.max_pool1d(o(3, 10), (2, 2))
F.max_pool1d(o(3, 10), 2, padding=(1, 1))
F.max_pool1d(o(3, 10), 2, (2, 2))
F.max_pool2d(o(3, 10, 10), 2, padding=(1, 1, 1))
F.max_pool2d(o(3, 10, 10), (2, 2, 2))
F.max_pool3d(o(3, 10, 10, 10), 2, (2, 2))
F.avg_pool1d(o(3, 10), (2, 2))
""")


def script_shrinking(torch):
    return refusals(torch, """
F.softshrink(o(2), -1.0)
F.hardshrink(o(2), -1.0)
F.softshrink(o(2), 1.0)
""")


def script_convolutions(torch):
    return refusals(torch, """
F.conv2d(o(1, 1, 3, 3), o(1, 1, 2, 2), groups=0)
F.conv2d(o(1, 1, 3, 3), o(1, 1, 2, 2), groups=-1)
F.conv1d(o(1, 2, 3), o(2, 2, 2), padding="same", groups=0)
F.conv_transpose2d(o(1, 1, 3, 3), o(1, 1, 2, 2), groups=0)
F.conv2d(o(1, 1, 3, 3), o(1, 1, 2, 2), padding=-1)
F.conv2d(o(1, 1, 3, 3), o(1, 1, 2, 2), dilation=0)
F.conv_transpose2d(o(1, 1, 3, 3), o(1, 1, 2, 2), padding=-1)
F.conv_transpose2d(o(1, 1, 3, 3), o(1, 1, 2, 2), dilation=0)
F.conv_transpose2d(o(1, 1, 3, 3), o(1, 1, 2, 2), stride=0)
F.conv_transpose2d(o(1, 2, 3, 3), o(2, 1, 2, 2), groups=3)
""")


def script_losses(torch):
    return refusals(torch, """
F.multi_margin_loss(o(2, 3), o(2), reduction="abc")
F.multi_margin_loss(o(2, 3), o(2).long(), weight=o(2))
F.multi_margin_loss(o(2, 3), o(2).long(), weight=o(1, 3))
F.multi_margin_loss(o(2, 3), o(2).long(), weight=o(3)[0])
F.multilabel_margin_loss(o(2, 3), o(2, 3), reduction="abc")
F.multilabel_margin_loss(o(2, 3), o(2, 3))
F.multilabel_margin_loss(o(2, 2, 3), o(2, 2, 3).long())
F.multilabel_margin_loss(o(2, 3), o(2, 3).long() + 2)
F.multilabel_margin_loss(o(2, 3), o(2, 3).long() - 3)
F.poisson_nll_loss(o(2, 3), o(2, 3), reduction="abc")
F.soft_margin_loss(o(2, 3), o(2, 3), reduction="abc")
F.hinge_embedding_loss(o(2, 3), o(2, 3), reduction="abc")
F.huber_loss(o(2, 3), o(2, 3), reduction="abc")
F.l1_loss(o(2, 3), o(2, 3), reduction="abc")
F.smooth_l1_loss(o(2, 3), o(2, 3), reduction="abc")
F.kl_div(o(2, 3), o(2, 3), reduction="abc")
F.ctc_loss(o(2, 1, 3), o(1, 1).long(), (2,), (1,), reduction="abc")
F.margin_ranking_loss(o(2), o(2), o(2), reduction="abc")
F.cosine_embedding_loss(o(2, 3), o(2, 3), o(2), reduction="abc")
F.triplet_margin_loss(o(2, 3), o(2, 3), o(2, 3), reduction="abc")
F.multilabel_soft_margin_loss(o(2, 3), o(2, 3), reduction="abc")
F.binary_cross_entropy(o(2, 3), o(2, 3), reduction="abc")
F.binary_cross_entropy_with_logits(o(2, 3), o(2, 3), reduction="abc")
""")


def script_refusals_of_layers(torch):
    F = torch.nn.functional  # noqa: N806
    x = torch.ones(1, 4, 4)
    return [call[:2] for call in table([
        lambda: F.avg_pool1d(x, 2, padding=-1), lambda: F.avg_pool2d(x, 2, padding=4),
        lambda: F.prelu(torch.tensor(1.0), torch.ones(2)), lambda: F.prelu(x, torch.ones(2, 2)),
        lambda: F.multilabel_margin_loss(torch.ones(0), torch.ones(0, dtype=torch.int64))])]


def script_shapes_of_layers(torch):
    return refusals(torch, """
F.pad(o(2), (1, 1), mode="reflect")
F.pad(o(3, 2), (1, 1, 1, 1), mode="replicate")
F.pad(o(1, 3, 3, 2), (1, 1), mode="circular")
F.pad(o(3, 3, 3), (), mode="reflect")
F.pad(o(3, 3, 3), (), mode="x")
F.pad(o(2), (1, 1, 1, 1))
F.pad(o(2, 0, 3), (1, 1), mode="reflect")
F.pad(o(2, 2, 0), (1, 1), mode="replicate")
F.pad(o(1, 3), (4, 1), mode="circular")
F.pad(o(1, 3), (-2, -2), mode="circular")
F.celu(o(2), 0)
F.unfold(o(1, 1, 2, 2), 3)
F.unfold(o(1, 1, 2, 2), 2, stride=0)
F.unfold(o(1, 1, 2, 2), 0)
F.unfold(o(1, 1, 2, 2), 2, dilation=0)
F.unfold(o(1, 1, 2, 2), 2, padding=-1)
F.unfold(o(1, 0, 2, 2), 2)
F.fold(o(1, 4, 1), (2, 2), 2, stride=0)
F.fold(o(1, 4, 1), (2, 2), 2, padding=-1)
F.affine_grid(o(1, 2, 3), (1, 1, 2))
F.adaptive_max_pool2d(o(1, 1, 0, 2), 2)
F.adaptive_max_pool1d(o(1, 0, 2), 2)
F.interpolate(o(1, 1, 2), scale_factor=(2, 2))
F.interpolate(o(1, 1, 2, 2), scale_factor=(2,))
F.cross_entropy(o(2, 3), o(2, 1).long())
F.cross_entropy(o(2, 3), o(3).long())
F.cross_entropy(o(2, 3), o(2, 3, 1)[0, 0, 0].long())
F.cross_entropy(o(2, 3, 2), o(2).long())
F.cross_entropy(o(3), o(2).long())
F.cross_entropy(o(3), o(1).long())
F.cross_entropy(o(3), o(1).long(), reduction="none")
F.cross_entropy(o(1)[0], o(1)[0].long())
F.nll_loss(o(3), o(1).long(), reduction="none")
F.nll_loss(o(2, 3), o(1)[0].long())
""")
