"""`allowed-tools`: what an active skill lets other tools do."""
