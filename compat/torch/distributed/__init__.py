"""torch.distributed: one process; what asks whether there are more learns so."""

import datetime as _datetime
import enum as _enum
import logging as _logging
import os as _os
import typing as _typing

from .._impl.dispatch import surface as _surface
from .._impl.dispatch.unbuilt import parts as _parts

globals().update(_parts(
    "distributed",
    "AllToAllOptions AllreduceCoalescedOptions AllreduceOptions Backend BackendConfig BarrierOptions BroadcastOptions "
    "DeviceMesh FileStore GatherOptions GradBucket HashStore Logger P2POp PrefixStore ProcessGroup ProcessGroupGloo "
    "ReduceOptions ReduceScatterOptions Reducer ScatterOptions Store TCPStore Work",
    "all_gather all_gather_coalesced all_gather_into_tensor all_gather_object all_gather_single all_reduce "
    "all_reduce_coalesced all_to_all all_to_all_single barrier batch_isend_irecv breakpoint broadcast "
    "broadcast_object_list destroy_process_group gather gather_object get_backend get_backend_config "
    "get_default_backend_for_device get_global_rank get_group_rank get_pg_count get_process_group_ranks get_rank "
    "get_world_size init_device_mesh init_process_group irecv isend monitored_barrier new_group new_subgroups "
    "new_subgroups_by_enumeration record_comm recv recv_object_list reduce reduce_scatter reduce_scatter_single "
    "reduce_scatter_tensor register_rendezvous_handler rendezvous scatter scatter_object_list send send_object_list "
    "shrink_group split_group supports_complex _all_gather_base _broadcast_coalesced _coalescing_manager "
    "_compute_bucket_assignment_by_size _create_process_group_wrapper _get_process_group_name _make_nccl_premul_sum "
    "_rank_not_in_group _reduce_scatter_base _register_builtin_comm_hook _register_comm_hook "
    "_verify_params_across_processes"))

# Programs name them where they import, and in defaults of arguments.
ReduceOp = _enum.IntEnum("ReduceOp", "SUM AVG PRODUCT MIN MAX BAND BOR BXOR PREMUL_SUM", start=0,
                         module="torch.distributed")
reduce_op = ReduceOp
DebugLevel = _enum.Enum("DebugLevel", "OFF INFO DETAIL", start=0, module="torch.distributed")
BuiltinCommHookType = _enum.Enum("BuiltinCommHookType", "ALLREDUCE FP16_COMPRESS", start=0, module="torch.distributed")
GroupName = _typing.NewType("GroupName", str)
RankType = int
default_pg_timeout = _datetime.timedelta(minutes=30)
log = _logging.getLogger("torch.distributed")


class DistError(RuntimeError):
    """Errors between processes: none of them is raised, programs name them in `except`."""


class DistBackendError(DistError):
    """An error of a backend."""


class DistNetworkError(DistError):
    """An error of the network."""


class DistStoreError(DistError):
    """An error of a store."""


class QueueEmptyError(DistStoreError):
    """An empty queue of a store."""


class GroupMember:
    """The group of all processes, of which there is none until one is made."""

    WORLD = None
    NON_GROUP_MEMBER = -100


group = GroupMember


def is_available():
    """False: there is one process."""
    return False


def is_initialized():
    """False."""
    return False


def is_torchelastic_launched():
    """False."""
    return False


def is_backend_available(backend):
    """False, of each backend."""
    return False


def is_gloo_available():
    """False."""
    return False


def is_mpi_available():
    """False."""
    return False


def is_nccl_available():
    """False."""
    return False


def is_ucc_available():
    """False."""
    return False


def is_xccl_available():
    """False."""
    return False


def get_node_local_rank(fallback_rank=None):
    """The number that a launcher gave this process on its machine, else `fallback_rank`."""
    if "LOCAL_RANK" in _os.environ:
        return int(_os.environ["LOCAL_RANK"])
    if fallback_rank is None:
        raise RuntimeError("LOCAL_RANK is not in the environment. Consider passing fallback_rank to allow "
                           "`get_node_local_rank` to work, assuming you are not running in a multi-device context and "
                           "want the code to run locally instead.")
    return int(fallback_rank)


def get_debug_level():
    """`DebugLevel.OFF`: there is nothing to watch."""
    return DebugLevel.OFF


def set_debug_level(level):
    """Refuse all levels but `DebugLevel.OFF`."""
    if level is not DebugLevel.OFF:
        raise RuntimeError(f"set_debug_level takes DebugLevel.OFF in one process, but got {level}")


def set_debug_level_from_env():
    """Nothing: the level stays `DebugLevel.OFF`."""


__getattr__, __dir__ = _surface.look_up("distributed")
