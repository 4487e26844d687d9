"""What the GM does and is shown, whichever way he asks for it."""
