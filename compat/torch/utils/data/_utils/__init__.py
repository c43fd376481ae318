"""torch.utils.data._utils, as far as other people's modules look at it."""

from . import collate as collate, worker as worker

MP_STATUS_CHECK_INTERVAL = 5.0  # seconds between looks at worker processes
