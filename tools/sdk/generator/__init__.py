"""Makes the clients in `sdk/` from the description of the interface."""
