"""What commands print with `--json`, as records: `tools/schemas.py` makes the published schemas of them."""
