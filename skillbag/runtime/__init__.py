"""The runtime of active skills: found, triggered, permitted, run in child processes, undone.

Others import:

    .           errors, printable, skill, tracing
    activation  activation, input_checks, missing_tools, request
    backends    backend
    broker      approvals, audit, content, database_file, decisions, questions, session_records, store
    discovery   builtin, discovery
    hooks       conversation, guards, hook_dispatch
    host        llm
    scanning    documentation.pages, scan, sources
    sessions    endings, hot_reload, preview, resumption, runtime, standings, targets
    testing     acts, recording, replaying, suite, trace_file, workbench
    triggers    budget, prompts, settings, triggers
"""
