"""What is wrong with skills: rules, the predicates they name, and the engine that runs them."""
