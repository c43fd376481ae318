"""The parts of torch.utils.checkpoint."""
