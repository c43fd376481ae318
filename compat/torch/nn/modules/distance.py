"""torch.nn.modules.distance: how far vectors are apart."""

from ..._impl.module.module import Module
from ..._impl.public_names import F


class PairwiseDistance(Module):
    """The p-norm of `x1 - x2 + eps` along the last axis.

    Args:
        p: the order of the norm.
        keepdim: whether the axis is kept.
    """

    def __init__(self, p=2.0, eps=1e-6, keepdim=False):
        super().__init__()
        self.norm = p
        self.eps = eps
        self.keepdim = keepdim

    def forward(self, x1, x2):
        return F.pairwise_distance(x1, x2, self.norm, self.eps, self.keepdim)


class CosineSimilarity(Module):
    """The cosine of the angle between vectors along an axis; norms below `eps` count as `eps`."""

    def __init__(self, dim=1, eps=1e-8):
        super().__init__()
        self.dim = dim
        self.eps = eps

    def forward(self, x1, x2):
        return F.cosine_similarity(x1, x2, self.dim, self.eps)
