"""What an agent calls and is given: tools, servers, hooks of hosts, and the user's skills and settings.

Others import:

    hosts        active_skills, answering, limits, lines, protocol
    marketplace  here, index, install, marketplace, registry_search, sources, state, update
    mcp_server   gate, greeting, http, serving
    permissions  active
    personal     available, consent, folders, from_registry, kept, runs, skills
    plugins      active_hooks, calls, install, plugin, session
    settings     runtime_settings, scope, user_settings
    tools        registry, skill_tools, tool
"""
