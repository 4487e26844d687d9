"""Settings that the program itself keeps in the database."""

from sqlmodel import Session

from postal.store.rows import SettingRow


def setting(session: Session, key: str) -> str | None:
    """Return a setting's value, None where it was never set."""
    row = session.get(SettingRow, key)
    return None if row is None else row.value


def set_setting(session: Session, key: str, value: str) -> None:
    """Set a setting, whatever it was before."""
    session.merge(SettingRow(key=key, value=value))


def setting_or(session: Session, key: str, value: str) -> str:
    """Return a setting's value, which is ``value`` from now on where it was never set.

    So the key of the tokens, made by the caller from chance, is made once.
    """
    row = session.get(SettingRow, key)
    if row is None:
        row = SettingRow(key=key, value=value)
        session.add(row)
        session.flush()
    return row.value
