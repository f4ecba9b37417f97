"""Which skill comes first, which of two counts, and which is missing."""
