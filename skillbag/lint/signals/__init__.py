"""Facts in a text that rules and inventories share: addresses, commands, encoded texts, secret files, transfers."""
