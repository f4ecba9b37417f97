"""What comes in: sources fetched and judged, skills installed, workspaces and skills begun.

Others import:

    adopt       adopt
    bootstrap   active_skill, address, agents_skills, check_files, init, limit_hook, mcp_server, plan, skill
    install     accepted, apply, caching, choice, confirmation, difference, install, outcome, outdating, problems,
                queries, remove, request, state
    links       commands, machine, outcome, user_links
    registry    access, publishing, serving, store
    rule_packs  examples, fetch, new, pinning
    sources     address, archive_formats, cache, checkout, configured_hosts, entry, fetch, fetch_all, fetched, folder,
                git_command, git_errors, git_remote, http_client, http_exchange, http_failures, lfs_pointers, limits,
                location, registry, registry_fetch, registry_versions, skill_layout, source
"""
