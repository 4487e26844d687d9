"""Mail out: letters are built and queued, then sent until a server takes them (MAIL.md, Out)."""
