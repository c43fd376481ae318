"""The functional transforms of torch.func."""
