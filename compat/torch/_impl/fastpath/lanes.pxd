from ..types.tensor_slots cimport TensorSlots
from .makers cimport history, made, noted, number, of_floats, result, road, tensor_of, usable
