"""Everything behind PyTorch's surface that PyTorch has no module for; nothing here is public."""
