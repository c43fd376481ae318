"""The nodes of the stateful tape: their hooks, names, versions and errors."""
