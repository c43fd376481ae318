"""torch.export: names that programs import; their use is refused."""

from ._impl.dispatch.unbuilt_parts import parts as _parts

globals().update(_parts(
    "export",
    "Constraint Dim ExportBackwardSignature ExportGraphSignature ExportedProgram ModuleCallEntry "
    "ModuleCallSignature ShapesCollection UnflattenedModule",
    "dims export export_for_training load register_dataclass save unflatten"))
