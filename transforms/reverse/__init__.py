"""Reverse mode: the recording trace, the backward sweep, and the checks around it."""
