"""Network operating systems: reading their configurations into the model, and writing them from it."""
