"""Reverse mode: the trace that records, the sweep that runs, and the checks around it."""
