"""The hooks of active skills: dispatched, checked by value, applied by the phases of a conversation."""
