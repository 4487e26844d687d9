"""Game records: written, played again, and held against what is stored (RECORD.md)."""
