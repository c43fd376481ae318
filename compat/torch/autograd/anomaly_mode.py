"""torch.autograd.anomaly_mode: detect_anomaly and set_detect_anomaly."""

from .._impl.modes.anomaly_mode import (
    detect_anomaly as detect_anomaly,
    set_detect_anomaly as set_detect_anomaly,
)
