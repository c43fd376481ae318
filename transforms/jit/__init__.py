"""jit: functions that are staged once for each signature, and run generated source."""
