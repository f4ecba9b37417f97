"""Our house rules for skills: `rules/` has them, `predicates.py` what they need beyond skillbag's own predicates."""
