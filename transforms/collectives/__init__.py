"""Collectives over named mapped axes."""
