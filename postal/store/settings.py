"""Settings that the program itself keeps in the database."""

from sqlalchemy import update
from sqlmodel import Session, col

from postal.store.inserting import insert_new
from postal.store.rows import SettingRow


def setting_or(session: Session, key: str, value: str) -> str:
    """Return a setting's value, which is ``value`` from now on where it was never set.

    So the key of the tokens, made by the caller from chance, is made once.
    """
    row = session.get(SettingRow, key)
    if row is None:
        # Two daemons may start on a new database at once: both go by the value that came first.
        insert_new(session, SettingRow, [{"key": key, "value": value}])
        row = session.get_one(SettingRow, key)
    return row.value


def setting(session: Session, key: str) -> str | None:
    """Return a setting's value, None where it was never set."""
    row = session.get(SettingRow, key)
    return None if row is None else row.value


def replace_setting(session: Session, key: str, old: str | None, value: str) -> bool:
    """Set a setting that is still as it was read; False where another process has changed it.

    ``old`` None: it was never set. Where another process sets it at the same moment for the first
    time, IntegrityError.
    """
    if old is None:
        session.add(SettingRow(key=key, value=value))
        session.flush()
        return True
    statement = update(SettingRow).where(col(SettingRow.key) == key, col(SettingRow.value) == old)
    changed = session.exec(statement.values(value=value).returning(col(SettingRow.key)))
    return changed.one_or_none() is not None
