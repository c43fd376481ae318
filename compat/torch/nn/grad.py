"""torch.nn.grad: gradients of convolutions with respect to their inputs and weights."""

from .._impl.public_names import F, torch


def _of_input(conv, input_size, weight, grad_output, **how):
    with torch.enable_grad():
        x = torch.zeros(input_size, dtype=grad_output.dtype, device=grad_output.device).requires_grad_()
        return _pulled(conv(x, weight.detach(), **how), x, grad_output)


def _of_weight(conv, input, weight_size, grad_output, **how):
    with torch.enable_grad():
        weight = torch.zeros(weight_size, dtype=grad_output.dtype, device=grad_output.device).requires_grad_()
        return _pulled(conv(input.detach(), weight, **how), weight, grad_output)


def _pulled(out, leaf, grad_output):
    out.backward(grad_output)
    return leaf.grad


def conv1d_input(input_size, weight, grad_output, stride=1, padding=0, dilation=1, groups=1):
    """The gradient of `conv1d` with respect to its input, of a shape."""
    return _of_input(F.conv1d, input_size, weight, grad_output, stride=stride, padding=padding, dilation=dilation,
                     groups=groups)


def conv1d_weight(input, weight_size, grad_output, stride=1, padding=0, dilation=1, groups=1):
    """The gradient of `conv1d` with respect to its weights, of a shape."""
    return _of_weight(F.conv1d, input, weight_size, grad_output, stride=stride, padding=padding, dilation=dilation,
                      groups=groups)


def conv2d_input(input_size, weight, grad_output, stride=1, padding=0, dilation=1, groups=1):
    """The gradient of `conv2d` with respect to its input, of a shape."""
    return _of_input(F.conv2d, input_size, weight, grad_output, stride=stride, padding=padding, dilation=dilation,
                     groups=groups)


def conv2d_weight(input, weight_size, grad_output, stride=1, padding=0, dilation=1, groups=1):
    """The gradient of `conv2d` with respect to its weights, of a shape."""
    return _of_weight(F.conv2d, input, weight_size, grad_output, stride=stride, padding=padding, dilation=dilation,
                      groups=groups)


def conv3d_input(input_size, weight, grad_output, stride=1, padding=0, dilation=1, groups=1):
    """The gradient of `conv3d` with respect to its input, of a shape."""
    return _of_input(F.conv3d, input_size, weight, grad_output, stride=stride, padding=padding, dilation=dilation,
                     groups=groups)


def conv3d_weight(input, weight_size, grad_output, stride=1, padding=0, dilation=1, groups=1):
    """The gradient of `conv3d` with respect to its weights, of a shape."""
    return _of_weight(F.conv3d, input, weight_size, grad_output, stride=stride, padding=padding, dilation=dilation,
                      groups=groups)
