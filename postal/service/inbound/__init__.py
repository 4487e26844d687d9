"""Mail in: stored before it is read, handled once in its order, answered (MAIL.md, In)."""
