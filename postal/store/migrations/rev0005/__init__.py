"""Parts of revision 0005."""
