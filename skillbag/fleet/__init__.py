"""Many repositories, and other implementations: the audit, and the conformance kit's runner."""
