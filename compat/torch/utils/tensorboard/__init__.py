"""torch.utils.tensorboard, by the package tensorboardX."""

from .writer import SummaryWriter as SummaryWriter
