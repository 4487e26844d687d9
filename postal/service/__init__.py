"""The use cases: what the GM, a mail or the clock sets going, one transaction each."""
