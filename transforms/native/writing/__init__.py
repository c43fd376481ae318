"""From the equations of a graph to statements."""
