"""Control flow and checkpointing: primitives whose parameters are functions."""
