"""torch.nn.utils.memory_format: weights of convolutions in another order in memory."""

from ..modules.conv import Conv2d, Conv3d, ConvTranspose2d, ConvTranspose3d


def _converted(module, kinds, memory_format):
    for m in module.modules():
        if isinstance(m, kinds):
            m.weight.data = m.weight.detach().clone().contiguous(memory_format=memory_format)
    return module


def convert_conv2d_weight_memory_format(module, memory_format):
    """Put the weights of all Conv2d in a memory format; returns the module."""
    return _converted(module, (Conv2d, ConvTranspose2d), memory_format)


def convert_conv3d_weight_memory_format(module, memory_format):
    """Put the weights of all Conv3d in a memory format; returns the module."""
    return _converted(module, (Conv3d, ConvTranspose3d), memory_format)


