"""Saved values of nodes, and the tools of torch.autograd.graph around them."""
