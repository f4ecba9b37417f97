"""Which active skills there are, from every source, and which one of a name counts."""
