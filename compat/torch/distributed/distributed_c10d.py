"""torch.distributed.distributed_c10d: the names of torch.distributed under the module that PyTorch has them in."""

from .. import distributed as _home
from .._impl.dispatch import surface as _surface
from .._impl.dispatch.unbuilt import parts as _parts

globals().update({name: value for name, value in vars(_home).items()
                  if not name.startswith("__") and getattr(value, "__module__", "").endswith("torch.distributed")})
globals().update(_parts("distributed.distributed_c10d", "_World",
                        "_find_pg_by_ranks_and_tag _get_default_group _get_default_store _get_default_timeout "
                        "_get_pg_default_device _object_to_tensor _resolve_process_group _tensor_to_object "
                        "_update_default_pg"))
default_pg_timeout = _home.default_pg_timeout
__getattr__, __dir__ = _surface.look_up("distributed.distributed_c10d")
