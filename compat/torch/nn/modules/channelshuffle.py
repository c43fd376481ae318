"""torch.nn.modules.channelshuffle: channels of groups in turn."""

from ..._impl.module.module import Module
from ..._impl.public_names import F


class ChannelShuffle(Module):
    """The channels of `(N, C, *)` in another order: the first of each group, the second of each, and so on."""

    def __init__(self, groups):
        super().__init__()
        self.groups = groups

    def forward(self, input):
        return F.channel_shuffle(input, self.groups)

    def extra_repr(self):
        return f"groups={self.groups}"
