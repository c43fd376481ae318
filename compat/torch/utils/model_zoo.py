"""torch.utils.model_zoo: names that programs import; nothing is fetched, and their use is refused."""

from .._impl.dispatch.unbuilt_parts import parts as _parts

globals().update(_parts("utils.model_zoo", "tqdm", "load_url"))
