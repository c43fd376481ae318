"""torch.nn.modules.padding: margins around the last axes."""

from ..._impl.module.module import Module
from ..._impl.module.tuples import _pair, _quadruple, ntuple
from ..._impl.public_names import F

_sextuple = ntuple(6, "_ntuple")


class _Pad(Module):
    """Padding of `padding` elements before and behind each of the last axes, the last axis first."""

    _ntuple = None
    _mode = ""

    def __init__(self, padding):
        super().__init__()
        self.padding = type(self)._ntuple(padding)

    def forward(self, input):
        return F.pad(input, self.padding, self._mode)

    def extra_repr(self):
        return f"{self.padding}"


class _ConstantPadNd(Module):
    _ntuple = None

    def __init__(self, padding, value):
        super().__init__()
        self.value = value
        self.padding = type(self)._ntuple(padding)

    def forward(self, input):
        return F.pad(input, self.padding, "constant", self.value)

    def extra_repr(self):
        return f"padding={self.padding}, value={self.value}"


class ConstantPad1d(_ConstantPadNd):
    """Padding with a value; a number, or `(left, right)`."""

    _ntuple = _pair


class ConstantPad2d(_ConstantPadNd):
    """Padding with a value; a number, or `(left, right, top, bottom)`."""

    _ntuple = _quadruple


class ConstantPad3d(_ConstantPadNd):
    """Padding with a value; a number, or `(left, right, top, bottom, front, back)`."""

    _ntuple = _sextuple


class ZeroPad1d(ConstantPad1d):
    """Padding with zeros; a number, or `(left, right)`."""

    def __init__(self, padding):
        super().__init__(padding, 0.0)

    def extra_repr(self):
        return f"{self.padding}"


class ZeroPad2d(ConstantPad2d):
    """Padding with zeros; a number, or `(left, right, top, bottom)`."""

    def __init__(self, padding):
        super().__init__(padding, 0.0)

    def extra_repr(self):
        return f"{self.padding}"


class ZeroPad3d(ConstantPad3d):
    """Padding with zeros; a number, or `(left, right, top, bottom, front, back)`."""

    def __init__(self, padding):
        super().__init__(padding, 0.0)

    def extra_repr(self):
        return f"{self.padding}"


class _CircularPadNd(_Pad):
    _mode = "circular"

    def _check_input_dim(self, input):
        n = len(self.padding) // 2 + 1
        if input.dim() not in (n, n + 1):
            raise ValueError(f"expected {n}D or {n + 1}D input (got {input.dim()}D input)")

    def forward(self, input):
        self._check_input_dim(input)
        return super().forward(input)


class CircularPad1d(_CircularPadNd):
    """Padding with the elements of the other end."""

    _ntuple = _pair


class CircularPad2d(_CircularPadNd):
    """Padding with the elements of the other end."""

    _ntuple = _quadruple


class CircularPad3d(_CircularPadNd):
    """Padding with the elements of the other end."""

    _ntuple = _sextuple


class _ReflectionPadNd(_Pad):
    _mode = "reflect"


class ReflectionPad1d(_ReflectionPadNd):
    """Padding with what lies on the other side of the border."""

    _ntuple = _pair


class ReflectionPad2d(_ReflectionPadNd):
    """Padding with what lies on the other side of the border.

    >>> import covector.compat.torch as torch
    >>> torch.nn.ReflectionPad1d(2)(torch.arange(4.0).reshape(1, 1, 4))
    tensor([[[2., 1., 0., 1., 2., 3., 2., 1.]]])
    """

    _ntuple = _quadruple


class ReflectionPad3d(_ReflectionPadNd):
    """Padding with what lies on the other side of the border."""

    _ntuple = _sextuple


class _ReplicationPadNd(_Pad):
    _mode = "replicate"


class ReplicationPad1d(_ReplicationPadNd):
    """Padding with the element at the border."""

    _ntuple = _pair


class ReplicationPad2d(_ReplicationPadNd):
    """Padding with the element at the border."""

    _ntuple = _quadruple


class ReplicationPad3d(_ReplicationPadNd):
    """Padding with the element at the border."""

    _ntuple = _sextuple
