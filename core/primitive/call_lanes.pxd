from ..slots cimport AvalSlots, Node, TracerSlots, TraceSlots
from ..tape.recording cimport batched, dual, make_node, recorded, traced, with_bias
