"""torch.futures: names that programs import; results of other processes do not exist here, and their use is refused."""

from ._impl.dispatch.unbuilt_parts import parts as _parts

globals().update(_parts("futures", "Future", "collect_all wait_all"))
