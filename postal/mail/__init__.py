"""The post room: reading mail, deciding whom to answer, fetching, building and sending."""
