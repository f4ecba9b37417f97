"""Whether a skill may: approvals, limits, the copy of what was approved, and the log of every decision."""
