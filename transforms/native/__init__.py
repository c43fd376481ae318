"""Native code for the groups and loops of a graph."""
