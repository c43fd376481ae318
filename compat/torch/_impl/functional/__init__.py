"""The parts of torch.autograd.functional."""
