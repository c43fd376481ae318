"""The writer of the package tensorboardX, whose files TensorBoard reads as it reads PyTorch's."""

import functools

import tensorboardX

from ..._impl.types.pytree import tree_map
from ..._impl.types.tensor_type import TensorBase

_OF_VALUES = ("add_scalar", "add_scalars", "add_histogram", "add_image", "add_images", "add_image_with_boxes",
              "add_figure", "add_video", "add_audio", "add_embedding", "add_pr_curve", "add_mesh", "add_hparams")


class SummaryWriter(tensorboardX.SummaryWriter):
    """`tensorboardX.SummaryWriter`, which takes tensors of this package, too; gradients are left behind."""


def _of_arrays(method):
    """A method that is given the arrays of the tensors it is called with."""

    @functools.wraps(method)
    def called(*args, **kwargs):
        args, kwargs = tree_map(lambda v: v.detach().cpu().numpy() if isinstance(v, TensorBase) else v, (args, kwargs))
        return method(*args, **kwargs)

    return called


for _name in _OF_VALUES:
    setattr(SummaryWriter, _name, _of_arrays(getattr(tensorboardX.SummaryWriter, _name)))
