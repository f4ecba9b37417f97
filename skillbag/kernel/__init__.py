"""Values, and the one way to read and write files: what every other subsystem stands on.

Others import:

    base         call_input, cancellation, clock, errors, extras, globs, http_connections, json_reading,
                 json_records, json_text, lazy_regex, linear_nodes, linear_regex, literals, name_lists, ownership,
                 package_data, parallel, posix, quoting, records, short_hash, time_limit, user_dirs, verbose, widths
    documents    catalog, edit.lines, edit.lists, edit.mappings, equality, fast_yaml, frontmatter, libyaml, markdown,
                 markdown_fences, markdown_html, markdown_values, nodes, sentences, settings_file, source
    fs           atomic, buffers, changes, confined, durable, folded_names, locking, other_disk, past, read, trace,
                 tracked, without_links
    hosts        events, keys, listing, lists, model, table, tools
    manifest     case_reader, cases, names, paths, prompt_skill, reader, scan_rules, shapes, values, versions
    model        findings, result, timing
    processes    bounded, confinement, environment, groups, output_capture, plain_json, talking
    secrets      address_secrets, detection, disclosure, form, judges, names, random_strings
    standard     blocks, context_blocks, context_declared, cut_names, declarations, dependencies, left_over, names,
                 parameter_keys, parameters, reserved, tags, tool_entries, tool_names, unread
    transaction  agreed_steps, journal, locations, recovery, steps, store, trees, writer
    workspace    agent_links, agents, declared_blocks, discovery, extras, git, git_changes, git_hooks, git_state,
                 host_file, host_files, host_folders, kinds, lock_file, marketplace_file, model, placed, programs,
                 searching, skill, skill_folders, skills_home, source_kind, statements, summary, target, text, tree,
                 tree_hash
"""
