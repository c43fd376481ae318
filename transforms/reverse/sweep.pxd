from ...core.slots cimport Node
