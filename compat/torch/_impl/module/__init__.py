"""Modules of torch.nn: what a module is, what its layers share."""
