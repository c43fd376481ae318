from ..slots cimport AvalSlots, TracerSlots, TraceSlots
from ..tape.recording cimport dual
