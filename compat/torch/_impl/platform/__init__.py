"""Queries about devices, compilers and number formats that are not here, answered truly."""
