"""The predicates that rules name, a module a subject; `table.TABLE` has them all."""
