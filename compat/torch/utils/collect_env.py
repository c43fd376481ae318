"""torch.utils.collect_env: names that programs import; their use is refused."""

from .._impl.dispatch.unbuilt_parts import parts as _parts

globals().update(_parts("utils.collect_env", "SystemEnv", "get_env_info get_pretty_env_info main"))
