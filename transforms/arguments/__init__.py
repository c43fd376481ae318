"""Preparation of arguments before a transform starts, and of results before they leave it."""
