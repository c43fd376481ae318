"""torch.onnx.symbolic_helper: what describes operations to an export, which is refused."""


def parse_args(*arg_descriptors):
    """A decorator that returns functions as they are."""
    return lambda fn: fn
