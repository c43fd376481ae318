"""Forward mode: tensors that carry a tangent."""
