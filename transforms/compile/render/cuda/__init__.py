"""The CUDA renderer: the C renderer's statements with a launch schedule."""
