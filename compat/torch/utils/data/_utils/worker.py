"""torch.utils.data._utils.worker: what a worker process knows of itself."""

from ...._impl.data.workers import WorkerInfo as WorkerInfo, get_worker_info as get_worker_info
