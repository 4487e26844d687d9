"""Settings that the program itself keeps in the database."""

from sqlmodel import Session

from postal.store.rows import SettingRow


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
