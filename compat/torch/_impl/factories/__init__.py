"""Functions that make tensors from data and from nothing."""
