"""The predicates that rules name, a module a subject; `registry.TABLE` has them all."""
