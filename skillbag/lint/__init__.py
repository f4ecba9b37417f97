"""What is wrong with skills: rules, the predicates they name, and the engine that runs them.

Others import:

    cache         checker, dangers, earlier, kept_dangers, live, store, watch
    capabilities  changes, collect, denied, facts
    checks        key_readers, lazy_predicate, manifest_fields, predicate, suppressions, unfenced
    engine        baseline, causes, changed, checker, config, fingerprints, fixes, lint, planner, request, rule_set,
                  timing, verdict
    rules         builtin, general_fix, index, loader, late_index, model, pack_code, packs, pages,
                  readings, written
    signals       hidden_characters, steering
    skill_graph   build, components, listing, needs, values
    symbols       index, plan, rename, rename_command, values
"""
