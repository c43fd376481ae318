"""From graphs to source: passes over equations, and printers that write what they compute as Python."""
