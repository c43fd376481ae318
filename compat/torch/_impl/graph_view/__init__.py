"""The graph as users see it: nodes, edges, hooks on them, and what is saved."""
