from ..types.tensor_slots cimport TensorSlots
from ..graph.recording cimport noted
from ..state.makers cimport history, result, road, usable

cpdef object through(object input, object weight, object bias, int way)
cpdef object record(TensorSlots t, TensorSlots weight, TensorSlots bias, object rows, object columns, object v)
