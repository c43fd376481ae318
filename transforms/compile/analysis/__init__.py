"""Analyses of graphs: what equations cost, and how long values live."""
