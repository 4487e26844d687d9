"""What revision 0003 reckons in Python, as the program did before it: frozen with it."""
