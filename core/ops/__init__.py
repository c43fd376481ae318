"""The primitives, one file a family."""
