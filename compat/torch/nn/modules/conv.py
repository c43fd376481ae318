"""torch.nn.modules.conv: convolutions and their transposes."""

import math

from ..._impl.module import initialization as init
from ..._impl.module.held_tensors import UninitializedParameter
from ..._impl.module.module import Module
from ..._impl.module.tuples import _pair, _single, _triple, reverse_repeat_tuple
from ..._impl.public_names import F, torch
from ..._impl.types.parameter import Parameter
from .lazy import LazyModuleMixin

_MODES = ("zeros", "reflect", "replicate", "circular")


class _ConvNd(Module):
    """The base class of convolutions: weights, `(out, in / groups, *kernel)`, of transposed ones `(in, out / groups,
    *kernel)`, and a bias."""

    def __init__(self, in_channels, out_channels, kernel_size, stride, padding, dilation, transposed, output_padding,
                 groups, bias, padding_mode, device=None, dtype=None):
        super().__init__()
        if groups <= 0:
            raise ValueError("groups must be a positive integer")
        if in_channels % groups:
            raise ValueError("in_channels must be divisible by groups")
        if out_channels % groups:
            raise ValueError("out_channels must be divisible by groups")
        if isinstance(padding, str):
            if padding not in ("same", "valid"):
                raise ValueError(f"Invalid padding string {padding!r}, should be one of {{'same', 'valid'}}")
            if padding == "same" and any(s != 1 for s in stride):
                raise ValueError("padding='same' is not supported for strided convolutions")
        if padding_mode not in _MODES:
            raise ValueError(f"padding_mode must be one of {set(_MODES)}, but got padding_mode='{padding_mode}'")
        self.in_channels = in_channels
        self.out_channels = out_channels
        self.kernel_size = kernel_size
        self.stride = stride
        self.padding = padding
        self.dilation = dilation
        self.transposed = transposed
        self.output_padding = output_padding
        self.groups = groups
        self.padding_mode = padding_mode
        if isinstance(padding, str):
            around = [0, 0] * len(kernel_size)
            if padding == "same":
                for axis, (d, k) in enumerate(zip(dilation, kernel_size)):
                    total = d * (k - 1)
                    place = 2 * (len(kernel_size) - 1 - axis)
                    around[place:place + 2] = total // 2, total - total // 2
            self._reversed_padding_repeated_twice = around
        else:
            self._reversed_padding_repeated_twice = reverse_repeat_tuple(padding, 2)
        given, taken = (in_channels, out_channels) if transposed else (out_channels, in_channels)
        shape = (given, taken // groups, *kernel_size)
        self.weight = Parameter(torch.empty(shape, device=device, dtype=dtype))
        if bias:
            self.bias = Parameter(torch.empty(out_channels, device=device, dtype=dtype))
        else:
            self.register_parameter("bias", None)
        self.reset_parameters()

    def reset_parameters(self):
        """Draw weights and bias between ±1/sqrt(in_channels / groups * prod(kernel_size))."""
        init.kaiming_uniform_(self.weight, a=math.sqrt(5))
        if self.bias is not None:
            fan_in = init._calculate_fan_in_and_fan_out(self.weight)[0]
            if fan_in:
                init.uniform_(self.bias, -1 / math.sqrt(fan_in), 1 / math.sqrt(fan_in))

    def extra_repr(self):
        n = len(self.kernel_size)
        shown = f"{self.in_channels}, {self.out_channels}, kernel_size={self.kernel_size}, stride={self.stride}"
        if self.padding != (0,) * n:
            shown += f", padding={self.padding}"
        if self.dilation != (1,) * n:
            shown += f", dilation={self.dilation}"
        if self.output_padding != (0,) * n:
            shown += f", output_padding={self.output_padding}"
        if self.groups != 1:
            shown += f", groups={self.groups}"
        if self.bias is None:
            shown += ", bias=False"
        return shown + (f", padding_mode={self.padding_mode}" if self.padding_mode != "zeros" else "")

    def __setstate__(self, state):
        super().__setstate__(state)
        self.__dict__.setdefault("padding_mode", "zeros")


class _Conv(_ConvNd):
    _function = _ntuple = None

    def __init__(self, in_channels, out_channels, kernel_size, stride=1, padding=0, dilation=1, groups=1, bias=True,
                 padding_mode="zeros", device=None, dtype=None):
        parse = type(self)._ntuple
        super().__init__(in_channels, out_channels, parse(kernel_size), parse(stride),
                         padding if isinstance(padding, str) else parse(padding), parse(dilation), False, parse(0),
                         groups, bias, padding_mode, device, dtype)

    def _conv_forward(self, input, weight, bias):
        padding = self.padding
        if self.padding_mode != "zeros":
            input = F.pad(input, self._reversed_padding_repeated_twice, mode=self.padding_mode)
            padding = type(self)._ntuple(0)
        return type(self)._function(input, weight, bias, self.stride, padding, self.dilation, self.groups)

    def forward(self, input):
        return self._conv_forward(input, self.weight, self.bias)


class Conv1d(_Conv):
    """Convolution of `(N, C, L)`; arguments as of Conv2d."""

    _function, _ntuple = F.conv1d, _single


class Conv2d(_Conv):
    """Convolution of `(N, C, H, W)`: every output channel is a sum over input channels and a window.

    Args:
        in_channels, out_channels: how many channels inputs and outputs have.
        kernel_size, stride, dilation: of the windows, a number or one for each axis.
        padding: what is added on either side, or "same", or "valid" for nothing.
        groups: in how many parts the channels are, each with weights of its own.
        padding_mode: "zeros", "reflect", "replicate" or "circular".

    >>> import covector.compat.torch as torch
    >>> layer = torch.nn.Conv2d(3, 8, kernel_size=3, padding=1)
    >>> layer(torch.ones(5, 3, 6, 6)).shape, layer.weight.shape
    (torch.Size([5, 8, 6, 6]), torch.Size([8, 3, 3, 3]))
    """

    _function, _ntuple = F.conv2d, _pair


class Conv3d(_Conv):
    """Convolution of `(N, C, D, H, W)`; arguments as of Conv2d."""

    _function, _ntuple = F.conv3d, _triple


class _ConvTransposeNd(_ConvNd):
    _function = _ntuple = None

    def __init__(self, in_channels, out_channels, kernel_size, stride=1, padding=0, output_padding=0, groups=1,
                 bias=True, dilation=1, padding_mode="zeros", device=None, dtype=None):
        if padding_mode != "zeros":
            name = type(self).__name__
            raise ValueError(f'Only "zeros" padding mode is supported for {name}')
        parse = type(self)._ntuple
        super().__init__(in_channels, out_channels, parse(kernel_size), parse(stride), parse(padding), parse(dilation),
                         True, parse(output_padding), groups, bias, padding_mode, device, dtype)

    def _output_padding(self, input, output_size, stride, padding, kernel_size, num_spatial_dims, dilation=None):
        """The padding to add to the output so that it has a size."""
        if output_size is None:
            return _single(self.output_padding)
        lead = input.dim() - num_spatial_dims
        if len(output_size) == lead + num_spatial_dims:
            output_size = output_size[lead:]
        if len(output_size) != num_spatial_dims:
            raise ValueError(f"ConvTranspose{num_spatial_dims}D: for {input.dim()}D input, output_size must have "
                             f"{num_spatial_dims} or {lead + num_spatial_dims} elements (got {len(output_size)})")
        least = [(input.size(lead + d) - 1) * stride[d] - 2 * padding[d]
                 + (dilation[d] if dilation is not None else 1) * (kernel_size[d] - 1) + 1
                 for d in range(num_spatial_dims)]
        most = [low + s - 1 for low, s in zip(least, stride)]
        if any(size < low or size > high for size, low, high in zip(output_size, least, most)):
            raise ValueError(f"requested an output size of {output_size}, but valid sizes range from {least} to {most} "
                             f"(for an input of {input.size()[2:]})")
        return [size - low for size, low in zip(output_size, least)]

    def forward(self, input, output_size=None):
        """`output_size` chooses among the sizes whose convolution has the input's size."""
        extra = self._output_padding(input, output_size, self.stride, self.padding, self.kernel_size,
                                     len(self.kernel_size), self.dilation)
        return type(self)._function(input, self.weight, self.bias, self.stride, self.padding, extra, self.groups,
                                    self.dilation)


class ConvTranspose1d(_ConvTransposeNd):
    """The transpose of Conv1d as a map, which grows `(N, C, L)`."""

    _function, _ntuple = F.conv_transpose1d, _single


class ConvTranspose2d(_ConvTransposeNd):
    """The transpose of Conv2d as a map, which grows `(N, C, H, W)`.

    Args:
        output_padding: what is added on one side of the output; the others are those of the convolution.

    >>> import covector.compat.torch as torch
    >>> torch.nn.ConvTranspose2d(3, 2, 4, stride=2, padding=1)(torch.ones(5, 3, 6, 6)).shape
    torch.Size([5, 2, 12, 12])
    """

    _function, _ntuple = F.conv_transpose2d, _pair


class ConvTranspose3d(_ConvTransposeNd):
    """The transpose of Conv3d as a map, which grows `(N, C, D, H, W)`."""

    _function, _ntuple = F.conv_transpose3d, _triple


class _LazyConvXdMixin(LazyModuleMixin):
    """A convolution whose `in_channels` are those of the first input."""

    def _make_lazy(self, out_channels, bias, device, dtype):
        self.out_channels = out_channels
        self.weight = UninitializedParameter(device=device, dtype=dtype)
        if bias:
            self.bias = UninitializedParameter(device=device, dtype=dtype)

    def reset_parameters(self):
        """Draw them, once they have a shape."""
        if not self.has_uninitialized_params() and self.in_channels != 0:
            super().reset_parameters()

    def initialize_parameters(self, input, *args, **kwargs):
        """Take the shape from an input."""
        if not self.has_uninitialized_params():
            return
        self.in_channels = self._get_in_channels(input)
        if self.in_channels % self.groups:
            raise ValueError("in_channels must be divisible by groups")
        given, taken = (self.in_channels, self.out_channels) if self.transposed else (
            self.out_channels, self.in_channels)
        self.weight.materialize((given, taken // self.groups, *self.kernel_size))
        if self.bias is not None:
            self.bias.materialize((self.out_channels,))
        self.reset_parameters()

    def _get_in_channels(self, input):
        axes = len(self.kernel_size)
        if input.dim() not in (axes + 1, axes + 2):
            raise RuntimeError(f"Expected {axes + 1}D (unbatched) or {axes + 2}D (batched) input to "
                               f"{type(self).__name__}, but got input of size: {input.shape}")
        return input.shape[1] if input.dim() == axes + 2 else input.shape[0]

    def _get_num_spatial_dims(self):
        return len(self.kernel_size)


class _LazyConv(_LazyConvXdMixin):
    def __init__(self, out_channels, kernel_size, stride=1, padding=0, dilation=1, groups=1, bias=True,
                 padding_mode="zeros", device=None, dtype=None):
        super().__init__(0, 0, kernel_size, stride, padding, dilation, groups, False, padding_mode, device, dtype)
        self._make_lazy(out_channels, bias, device, dtype)


class _LazyConvTranspose(_LazyConvXdMixin):
    def __init__(self, out_channels, kernel_size, stride=1, padding=0, output_padding=0, groups=1, bias=True,
                 dilation=1, padding_mode="zeros", device=None, dtype=None):
        super().__init__(0, 0, kernel_size, stride, padding, output_padding, groups, False, dilation, padding_mode,
                         device, dtype)
        self._make_lazy(out_channels, bias, device, dtype)


class LazyConv1d(_LazyConv, Conv1d):
    """A Conv1d whose `in_channels` are those of the first input."""

    cls_to_become = Conv1d


class LazyConv2d(_LazyConv, Conv2d):
    """A Conv2d whose `in_channels` are those of the first input."""

    cls_to_become = Conv2d


class LazyConv3d(_LazyConv, Conv3d):
    """A Conv3d whose `in_channels` are those of the first input."""

    cls_to_become = Conv3d


class LazyConvTranspose1d(_LazyConvTranspose, ConvTranspose1d):
    """A ConvTranspose1d whose `in_channels` are those of the first input."""

    cls_to_become = ConvTranspose1d


class LazyConvTranspose2d(_LazyConvTranspose, ConvTranspose2d):
    """A ConvTranspose2d whose `in_channels` are those of the first input."""

    cls_to_become = ConvTranspose2d


class LazyConvTranspose3d(_LazyConvTranspose, ConvTranspose3d):
    """A ConvTranspose3d whose `in_channels` are those of the first input."""

    cls_to_become = ConvTranspose3d
