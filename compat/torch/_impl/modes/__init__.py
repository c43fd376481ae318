"""Dynamic scope of the stateful layer: grad mode, inference mode, warnings."""
