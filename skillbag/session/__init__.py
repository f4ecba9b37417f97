"""The life of a session: entry, inputs, tags, order, conflicts, refresh, and what is remembered.

Others import:

    .            session
    entry        entry, free_text, invocation, turn, turn_report
    inputs       acceptance, cli_inputs, dangers, inputs, interface, levels, questions
    order        conflicts, order
    persistence  redaction, secret_detection
    refresh      refresh, state, watch
    remembering  memory_policy, remember
    settings     effective_settings, reserved, settings, settings_reader, value
    skills       effective_tags, skills
"""
