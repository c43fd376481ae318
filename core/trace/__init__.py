"""Tracers, which stand for arrays while a transform runs, and the traces that own them."""
