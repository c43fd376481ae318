"""The parts of torch.autograd.profiler."""
