"""What authors and users of rule packs do: fetch and pin packs, write new rules, and run the examples of rules."""
