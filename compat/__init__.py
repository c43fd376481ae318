"""Stateful front ends written against the public covector names alone."""
