from ..types.tensor_slots cimport TensorSlots
from ..graph.recording cimport noted
from ..state.makers cimport history, made, number, of_floats, result, road, tensor_of, usable
