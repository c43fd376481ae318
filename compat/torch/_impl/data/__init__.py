"""Data: datasets, samplers, and loaders that put batches together, in this process or in others."""
