"""The parts of graphs: variables, equations and bodies, and how graphs are printed and drawn."""
