"""No use case of the rounds reads a whole table, so that none takes longer in a large league."""

from postal.service.ticks import Rounds
from tests.bench.statements import Statements
from tests.service.service_league import MINUTE, League


def test_no_round_reads_a_whole_table(dealt: League) -> None:
    """Orders, a copy, a mail without a token, a turn and its mails, and a round with nothing."""
    statements = Statements()
    rounds = Rounds(dealt.work, lambda: dealt.post, dealt.post)
    statements.listen(dealt.database)
    dealt.order_all()
    dealt.post.deliver(dealt.post.inbox[1][0])
    dealt.write("Ann", "hello", token="")
    rounds.round()
    dealt.clock.advance(31 * MINUTE)
    rounds.round()
    rounds.round()
    assert dealt.game.turn == 2
    assert len(statements.sent) > 30
    assert statements.whole_tables(dealt.database) == []
