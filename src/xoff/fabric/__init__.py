"""Devices, ports and links: what the intent plans, and what can be inferred from configurations."""
