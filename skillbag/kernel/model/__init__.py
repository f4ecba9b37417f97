"""The values that pass between packages: findings and results."""
