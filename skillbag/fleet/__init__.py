"""Many repositories, and other implementations: the audit, and the conformance kit's runner.

Others import:

    audit        cluster, parquet, records_file, runner, settings, source_rows, sources, summary, summary_values, values
    conformance  driver, kit
"""
