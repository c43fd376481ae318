"""torch.nn.parallel.scatter_gather: names that programs import; there are no devices to spread tensors over."""

from ..._impl.dispatch.unbuilt_parts import parts as _parts

globals().update(_parts("nn.parallel.scatter_gather", "", "gather scatter scatter_kwargs"))
