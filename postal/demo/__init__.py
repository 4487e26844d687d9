"""The demo: embedded mail servers, a clock that skips the waiting, and the show."""
