"""torch.distributed: one process; what asks whether there are more learns so."""

import enum as _enum

from ...._engine import LazyModule as _LazyModule
from .._impl.dispatch import surface as _surface
from .._impl.dispatch.unbuilt_parts import parts as _parts

globals().update(_parts(
    "distributed",
    "Backend FileStore HashStore P2POp PrefixStore ProcessGroup Store TCPStore Work",
    "all_gather all_gather_into_tensor all_gather_object all_reduce all_to_all all_to_all_single barrier "
    "batch_isend_irecv broadcast broadcast_object_list destroy_process_group gather gather_object get_backend "
    "get_global_rank get_group_rank get_process_group_ranks get_rank get_world_size init_device_mesh "
    "init_process_group irecv isend monitored_barrier new_group new_subgroups recv recv_object_list reduce "
    "reduce_scatter reduce_scatter_tensor scatter scatter_object_list send send_object_list"))

# Programs name them where they import, and in defaults of arguments.
ReduceOp = _enum.IntEnum("ReduceOp", "SUM AVG PRODUCT MIN MAX BAND BOR BXOR PREMUL_SUM", start=0,
                         module="torch.distributed")


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


_LATER = {name: _LazyModule(f"covector.compat.torch.distributed.{name}")
          for name in "algorithms autograd device_mesh elastic fsdp nn optim rpc tensor".split()}
__getattr__ = _surface.getter("distributed.", "torch.distributed", _LATER)
