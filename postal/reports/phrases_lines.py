"""The words for lines that could not be read as an order or a command (ORDERS.md)."""

from __future__ import annotations

from postal.engine.problems import Fault
from postal.reports.phrases import Phrase

_CARD = "Write each card as rank and suit, for example AS, 10H or 2C, and a joker as JKR."
_COPY = "If you mean it, write"
_SUM = "Write whole pounds in figures, with commas or without, but no point."
_RAISE = "Write raise and the sum that it adds, in whole pounds, or raise max or raise min."
_GIFT = "Write the cards and then who gets them: next, previous or a neighbour's name."
_LINE = "Write the table, then the verb and what belongs to it."
_ONE_TABLE = "Write one line for each table."
_BLOCK = "Write {verb}: then the text, and a line end below it."
_SHORTER = "Send the orders again in a shorter mail."
_ONE_A_LINE = "Write one order a line."

LINE_PHRASES: dict[Fault, Phrase] = {
    Fault.NO_CARD: Phrase("No card is named.", _COPY, _CARD),
    Fault.NOT_A_CARD: Phrase('"{text}" is not a card.', _COPY, _CARD),
    Fault.NOT_A_SUM: Phrase('"{text}" is not a sum of money.', _COPY, _SUM),
    Fault.UNCLEAR_SUM: Phrase('The sum "{text}" is unclear.', _COPY, _SUM),
    Fault.PENCE: Phrase('"{text}" has pence; sums are whole pounds.', _COPY, _SUM),
    Fault.SUM_IN_WORDS: Phrase('"{text}" is a sum in words.', "Write it in figures", _SUM),
    Fault.SUM_ALONE: Phrase("A sum by itself is not an order.", "If it is a raise, write", _RAISE),
    Fault.NO_SUM: Phrase("The raise names no sum.", advice=_RAISE),
    Fault.SUM_NOT_TAKEN: Phrase("A {verb} takes no sum.", "Write", "Write {verb} alone."),
    Fault.ALL_IN: Phrase(
        '"all in" is not an order: a raise names its sum.', "For the most there is, write", _RAISE
    ),
    Fault.RAISE_TO: Phrase(
        '"raise to" is not read: a raise says how much it adds to what equals the opponent\'s.',
        "If that is the sum that you add, write",
        "Write raise and the sum that you add.",
    ),
    Fault.WORDS_AFTER_VERB: Phrase('"{text}" means nothing after {verb}.', _COPY, _LINE),
    Fault.CONDITION: Phrase(
        "An order cannot depend on what others do.",
        "Without its condition it is",
        "Write it without the condition.",
    ),
    Fault.NEGATED: Phrase(
        "This says what you do not want.",
        "To take back an order on file, write",
        "Write what you do want.",
    ),
    Fault.TWO_ORDERS: Phrase(
        "This is more than one order for the same hand, so none of it was taken.",
        "Write only the one that you mean",
        "Write only one.",
    ),
    Fault.CARDS_MISSING: Phrase(
        "Which cards to {verb} is missing.", _COPY, "Write {verb} and then the cards."
    ),
    Fault.EXPOSE_MISSING: Phrase(
        "This is half an order: it says what to {verb}, but which cards to expose is missing.",
        _COPY,
        "Write {verb} with its cards and expose with its cards on one line.",
    ),
    Fault.VERB_TWICE: Phrase(
        "The line keeps, discards or exposes more than once.",
        _COPY,
        "Write keep or discard once, and expose once.",
    ),
    Fault.RECEIVER_MISSING: Phrase("A gift names no receiver.", _COPY, _GIFT),
    Fault.RECEIVERS_UNSAID: Phrase("The gifts do not say who gets which.", _COPY, _GIFT),
    Fault.RECEIVER_WITHOUT_CARD: Phrase("A receiver is named, but no card for him.", _COPY, _GIFT),
    Fault.SIDE_WITHOUT_CARD: Phrase("One side of the / names no card.", _COPY, _GIFT),
    Fault.NEIGHBOUR_TWICE: Phrase("The same neighbour is named twice.", _COPY, _GIFT),
    Fault.NOT_A_NEIGHBOUR: Phrase(
        '"{text}" is not a neighbour of yours at table {table}.', advice=f"{{neighbours}}{_GIFT}"
    ),
    Fault.NAME_UNCLEAR: Phrase(
        '"{text}" could be more than one neighbour of yours at table {table}.',
        advice=f"{{neighbours}}{_GIFT}",
    ),
    Fault.NOBODY_NAMED: Phrase("Nobody is named.", advice=f"{{neighbours}}{_GIFT}"),
    Fault.HAND_NUMBER: Phrase(
        "Your hand at table {table} is {hands}, not {text}.",
        _COPY,
        "Begin the line with {table} or {hands}.",
    ),
    Fault.NO_HAND_THERE: Phrase(
        "You have no hand at a table {table}.",
        advice="Your hands are {hands}: the line must name one of them.",
    ),
    Fault.NO_HANDS: Phrase("You have no hand at a table {table}."),
    Fault.NO_TABLE_FIRST: Phrase(
        "The line looks like an order, but it does not begin with a table of yours.",
        "Begin it with the table's letter",
        "Begin it with the table's letter.",
    ),
    Fault.SEVERAL_TABLES: Phrase(
        "A line is for one table, or for all.", "Write one for each", _ONE_TABLE
    ),
    Fault.SECOND_ORDER: Phrase(
        '"{text}" is a second order on the same line.', "Write each on its own line", _ONE_A_LINE
    ),
    Fault.SPLIT_ORDER: Phrase(
        "Behind a semicolon an order names its table, so all of this was refused together.",
        "With commas it is one order",
        "Write each order with its table.",
    ),
    Fault.NOT_END_TO_END: Phrase(
        "The line names a table and a bet, but it is not an order from end to end.", _COPY, _LINE
    ),
    Fault.NOT_FOR_ALL: Phrase(
        "Only a bet can be ordered for all tables at once.", advice=_ONE_TABLE
    ),
    Fault.NOTHING_AFTER_TABLE: Phrase("Nothing stands after {table}.", advice=_LINE),
    Fault.CANCEL_AFTER_TABLE: Phrase('"cancel" stands before the table.', "Write"),
    Fault.NO_VERB: Phrase('"{text}" does not begin with a verb of an order.', _COPY, _LINE),
    Fault.WORDS_BEFORE_ORDER: Phrase(
        "Something stands before the order, so the line is not an order from end to end.",
        "Begin the line with the table",
        "Begin the line with the table.",
    ),
    Fault.QUESTION: Phrase("This is a question.", _COPY),
    Fault.DOUBTFUL_MARK: Phrase("It is not clear what {text} means.", _COPY),
    Fault.NOT_AN_ORDER: Phrase('"{text}" is not an order.', advice=_ONE_A_LINE),
    Fault.BEHIND_WORDS: Phrase(
        "This stands behind other words, so the line is not an order from end to end.",
        "Write it on a line of its own",
        "Write it on a line of its own.",
    ),
    Fault.BEHIND_MARK: Phrase(
        "The line follows a mark, | or ::, and could be what it marks as not to be read.",
        advice="Leave out the mark above the order.",
    ),
    Fault.STRUCK_OUT: Phrase(
        "Your mail strikes this line out in its formatted text, and gives it in its plain text.",
        "If you mean it, write it again without the strike",
    ),
    Fault.TWO_FORMS: Phrase(
        "Your mail says something else here in its formatted text than in its plain text.",
        "Write again what you mean, for example",
    ),
    Fault.ATTACHED: Phrase(
        "This stands in an attached file, beside a text of yours, so it was not taken.",
        "If you mean it, write it into the mail itself",
    ),
    Fault.IN_SUBJECT: Phrase(
        "This stands in the subject of a mail that has a text, so it was not taken.",
        "If you mean it, write it into the text",
    ),
    Fault.MARKED: Phrase(
        'The line begins with "::", and no such line is read.', 'Write it without the "::"'
    ),
    Fault.LINE_TOO_LONG: Phrase(
        "The line is longer than {needed} characters, so it was not read.", advice=_ONE_A_LINE
    ),
    Fault.TOO_MANY_LINES: Phrase(
        "Only the first {needed} lines of a mail are read; there are more.", advice=_SHORTER
    ),
    Fault.TOO_MANY_PARTS: Phrase(
        "Only the first {needed} parts of a mail are read; there are more.", advice=_SHORTER
    ),
    Fault.FURTHER_LINES: Phrase("{further_lines} not taken either.", advice=_ONE_A_LINE),
    Fault.COMMAND_QUESTION: Phrase(
        '"{text}" is a question.', advice="Write {verb} without the question mark."
    ),
    Fault.COMMAND_BESIDE_OTHERS: Phrase(
        '"{verb}" does not stand on a line of its own.',
        advice="Write {verb} on a line of its own.",
    ),
    Fault.CANCEL_WITHOUT_TABLE: Phrase("The line names no table to cancel.", "Write"),
    Fault.CANCEL_UNCLEAR: Phrase('"{text}" is not clear.', "Write"),
    Fault.HOLIDAY_DAYS_MISSING: Phrase("A holiday needs its first and its last day.", "Write"),
    Fault.HOLIDAY_NOT_DATES: Phrase('"{text}" is not two dates.', "Write"),
    Fault.HOLIDAY_BACKWARDS: Phrase("The holiday ends before it begins.", "Write"),
    Fault.BLOCK_WITHOUT_COLON: Phrase('"{verb}" needs a colon and its text.', advice=_BLOCK),
    Fault.BLOCK_EMPTY: Phrase("The {verb} holds no text.", advice=_BLOCK),
    Fault.BLOCK_UNCLOSED: Phrase(
        "The {verb} has no line end, so it was not taken, nor what stands below it.",
        advice="Put a line that says end, and nothing else, below the text,"
        " and any orders after that.",
    ),
}
