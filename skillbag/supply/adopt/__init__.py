"""Skills that other programs installed: what their files say of them, and one lock for all."""
