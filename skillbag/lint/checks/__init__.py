"""The predicates that rules name, a module a subject; `lazy_predicate.all_predicates` has them all."""
