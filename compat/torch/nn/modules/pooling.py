"""torch.nn.modules.pooling: maxima and means over windows."""

from ..._impl.module.fractional_pooling import fractional_max_pool2d, fractional_max_pool3d
from ..._impl.module.module import Module
from ..._impl.module.tuples import _pair, _single, _triple
from ..._impl.public_names import F


class _MaxPoolNd(Module):
    _function = None

    def __init__(self, kernel_size, stride=None, padding=0, dilation=1, return_indices=False, ceil_mode=False):
        super().__init__()
        self.kernel_size = kernel_size
        self.stride = stride if stride is not None else kernel_size
        self.padding = padding
        self.dilation = dilation
        self.return_indices = return_indices
        self.ceil_mode = ceil_mode

    def forward(self, input):
        return type(self)._function(input, self.kernel_size, self.stride, self.padding, self.dilation,
                                    ceil_mode=self.ceil_mode, return_indices=self.return_indices)

    def extra_repr(self):
        return (f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}, "
                f"dilation={self.dilation}, ceil_mode={self.ceil_mode}")


class MaxPool1d(_MaxPoolNd):
    """Maxima over windows of `(N, C, L)`.

    Args:
        kernel_size, stride, padding, dilation: of the windows; the stride is by default the size.
        return_indices: whether the places of the maxima are returned too, for MaxUnpool1d.
        ceil_mode: whether a last window that does not fit counts.
    """

    _function = F.max_pool1d


class MaxPool2d(_MaxPoolNd):
    """Maxima over windows of `(N, C, H, W)`; arguments as of MaxPool1d.

    >>> import covector.compat.torch as torch
    >>> torch.nn.MaxPool2d(2)(torch.arange(16.0).reshape(1, 1, 4, 4))
    tensor([[[[ 5.,  7.],
              [13., 15.]]]])
    """

    _function = F.max_pool2d


class MaxPool3d(_MaxPoolNd):
    """Maxima over windows of `(N, C, D, H, W)`; arguments as of MaxPool1d."""

    _function = F.max_pool3d


class _MaxUnpoolNd(Module):
    _function = _ntuple = None

    def __init__(self, kernel_size, stride=None, padding=0):
        super().__init__()
        parse = type(self)._ntuple
        self.kernel_size = parse(kernel_size)
        self.stride = parse(stride if stride is not None else kernel_size)
        self.padding = parse(padding)

    def forward(self, input, indices, output_size=None):
        return type(self)._function(input, indices, self.kernel_size, self.stride, self.padding, output_size)

    def extra_repr(self):
        return f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}"


class MaxUnpool1d(_MaxUnpoolNd):
    """Put maxima back where MaxPool1d found them, among zeros."""

    _function, _ntuple = F.max_unpool1d, _single


class MaxUnpool2d(_MaxUnpoolNd):
    """Put maxima back where MaxPool2d found them, among zeros."""

    _function, _ntuple = F.max_unpool2d, _pair


class MaxUnpool3d(_MaxUnpoolNd):
    """Put maxima back where MaxPool3d found them, among zeros."""

    _function, _ntuple = F.max_unpool3d, _triple


class _AvgPoolNd(Module):
    def extra_repr(self):
        return f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}"


class AvgPool1d(_AvgPoolNd):
    """Means over windows of `(N, C, L)`; `count_include_pad` says whether padding counts."""

    def __init__(self, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True):
        super().__init__()
        self.kernel_size = _single(kernel_size)
        self.stride = _single(stride if stride is not None else kernel_size)
        self.padding = _single(padding)
        self.ceil_mode = ceil_mode
        self.count_include_pad = count_include_pad

    def forward(self, input):
        return F.avg_pool1d(input, self.kernel_size, self.stride, self.padding, self.ceil_mode,
                            self.count_include_pad)


class _AvgPoolDivided(_AvgPoolNd):
    _function = None

    def __init__(self, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True,
                 divisor_override=None):
        super().__init__()
        self.kernel_size = kernel_size
        self.stride = stride if stride is not None else kernel_size
        self.padding = padding
        self.ceil_mode = ceil_mode
        self.count_include_pad = count_include_pad
        self.divisor_override = divisor_override

    def forward(self, input):
        return type(self)._function(input, self.kernel_size, self.stride, self.padding, self.ceil_mode,
                                    self.count_include_pad, self.divisor_override)


class AvgPool2d(_AvgPoolDivided):
    """Means over windows of `(N, C, H, W)`; `divisor_override` divides the sums in place of the windows' size."""

    _function = F.avg_pool2d


class AvgPool3d(_AvgPoolDivided):
    """Means over windows of `(N, C, D, H, W)`."""

    _function = F.avg_pool3d


class _FractionalMaxPoolNd(Module):
    _function = _ntuple = None
    _axes = 0

    def __init__(self, kernel_size, output_size=None, output_ratio=None, return_indices=False, _random_samples=None):
        super().__init__()
        parse = type(self)._ntuple
        self.kernel_size = kernel_size if self._axes == 2 else parse(kernel_size)
        self.return_indices = return_indices
        self.register_buffer("_random_samples", _random_samples)
        self.output_size = parse(output_size) if output_size is not None else None
        self.output_ratio = parse(output_ratio) if output_ratio is not None else None
        if output_size is None and output_ratio is None:
            raise ValueError(f"FractionalMaxPool{self._axes}d requires specifying either an output size, or a pooling "
                             "ratio")
        if output_size is not None and output_ratio is not None:
            raise ValueError("only one of output_size and output_ratio may be specified")
        if self.output_ratio is not None and not all(0 < r < 1 for r in self.output_ratio):
            raise ValueError(f"output_ratio must be between 0 and 1 (got {output_ratio})")

    def forward(self, input):
        return type(self)._function(input, self.kernel_size, self.output_size, self.output_ratio, self.return_indices,
                                    _random_samples=self._random_samples)


class FractionalMaxPool2d(_FractionalMaxPoolNd):
    """Maxima over windows of `(N, C, H, W)` at random distances; Graham (2014).

    Args:
        kernel_size: of the windows.
        output_size: of the output, or `output_ratio`, what to multiply the size by, between 0 and 1.
    """

    _function, _ntuple, _axes = fractional_max_pool2d, _pair, 2


class FractionalMaxPool3d(_FractionalMaxPoolNd):
    """Maxima over windows of `(N, C, D, H, W)` at random distances."""

    _function, _ntuple, _axes = fractional_max_pool3d, _triple, 3


class _LPPoolNd(Module):
    _function = None

    def __init__(self, norm_type, kernel_size, stride=None, ceil_mode=False):
        super().__init__()
        self.norm_type = norm_type
        self.kernel_size = kernel_size
        self.stride = stride
        self.ceil_mode = ceil_mode

    def forward(self, input):
        return type(self)._function(input, float(self.norm_type), self.kernel_size, self.stride, self.ceil_mode)

    def extra_repr(self):
        return (f"norm_type={self.norm_type}, kernel_size={self.kernel_size}, stride={self.stride}, "
                f"ceil_mode={self.ceil_mode}")


class LPPool1d(_LPPoolNd):
    """p-norms over windows of `(N, C, L)`."""

    _function = F.lp_pool1d


class LPPool2d(_LPPoolNd):
    """p-norms over windows of `(N, C, H, W)`."""

    _function = F.lp_pool2d


class LPPool3d(_LPPoolNd):
    """p-norms over windows of `(N, C, D, H, W)`."""

    _function = F.lp_pool3d


class _AdaptiveMaxPoolNd(Module):
    _function = None

    def __init__(self, output_size, return_indices=False):
        super().__init__()
        self.output_size = output_size
        self.return_indices = return_indices

    def forward(self, input):
        return type(self)._function(input, self.output_size, self.return_indices)

    def extra_repr(self):
        return f"output_size={self.output_size}"


class AdaptiveMaxPool1d(_AdaptiveMaxPoolNd):
    """Maxima over as many windows as the output is long."""

    _function = F.adaptive_max_pool1d


class AdaptiveMaxPool2d(_AdaptiveMaxPoolNd):
    """Maxima over windows so that the output has a size."""

    _function = F.adaptive_max_pool2d


class AdaptiveMaxPool3d(_AdaptiveMaxPoolNd):
    """Maxima over windows so that the output has a size."""

    _function = F.adaptive_max_pool3d


class _AdaptiveAvgPoolNd(Module):
    _function = None

    def __init__(self, output_size):
        super().__init__()
        self.output_size = output_size

    def forward(self, input):
        return type(self)._function(input, self.output_size)

    def extra_repr(self):
        return f"output_size={self.output_size}"


class AdaptiveAvgPool1d(_AdaptiveAvgPoolNd):
    """Means over as many windows as the output is long."""

    _function = F.adaptive_avg_pool1d


class AdaptiveAvgPool2d(_AdaptiveAvgPoolNd):
    """Means over windows so that the output has a size; 1 gives the mean of an image."""

    _function = F.adaptive_avg_pool2d


class AdaptiveAvgPool3d(_AdaptiveAvgPoolNd):
    """Means over windows so that the output has a size."""

    _function = F.adaptive_avg_pool3d
