"""How robots decide: from what a seat may see to its orders, by temper and chance; no I/O."""
