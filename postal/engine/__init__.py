"""The pure engine: rules, worth of hands and adjudication, from the standard library alone."""
