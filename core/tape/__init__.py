"""The tape of reverse mode: nodes, compiled reverse rules, and the lazy cotangents that meet in nodes."""
