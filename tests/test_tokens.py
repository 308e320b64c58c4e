"""Each API message counts once, with the largest output that was told of it."""

from hypothesis import given
from hypothesis import strategies as st

from viewer.records import Spent
from viewer.tokens import Tokens, Total

numbers = st.integers(0, 2**53 - 1)
spendings = st.lists(
    st.builds(
        Spent, st.sampled_from(["a", "b", "c"]), st.none(), numbers, numbers, numbers, numbers
    ),
    max_size=12,
)


def spent(id: str | None, output: int, *, input: int = 1, read: int = 2, made: int = 3) -> Spent:
    return Spent(id, "model", input, output, read, made)


def tokens(*all: Spent) -> Tokens:
    counted = Tokens()
    for each in all:
        counted.add(each)
    return counted


def test_nothing_spent_is_nothing() -> None:
    assert Tokens().total() == Total(0, 0, 0, 0, 0)


def test_a_message_repeated_on_each_of_its_lines_counts_once() -> None:
    assert tokens(*[spent("a", 10)] * 4).total() == Total(1, 10, 2, 3, 1)


def test_messages_add_up() -> None:
    assert tokens(spent("a", 10), spent("b", 5)).total() == Total(2, 15, 4, 6, 2)


def test_the_largest_output_wins_over_placeholders_before_and_after_it() -> None:
    total = tokens(spent("a", 1), spent("a", 50, input=7), spent("a", 1)).total()
    assert (total.input, total.output, total.messages) == (7, 50, 1)


def test_the_lines_of_two_messages_may_alternate() -> None:
    total = tokens(spent("a", 1), spent("b", 2), spent("a", 9), spent("b", 2)).total()
    assert (total.output, total.messages) == (11, 2)


def test_messages_without_an_id_count_each() -> None:
    assert tokens(spent(None, 5), spent(None, 5), spent("", 5)).total().messages == 3


def test_a_message_that_stands_in_two_files_counts_once() -> None:
    main = tokens(spent("a", 10), spent("b", 20))
    main.merge(tokens(spent("b", 20), spent("c", 30)))
    assert (main.total().output, main.total().messages) == (60, 3)


def test_messages_without_an_id_of_two_files_are_different_ones() -> None:
    main = tokens(spent(None, 10))
    main.merge(tokens(spent(None, 20)))
    assert (main.total().output, main.total().messages) == (30, 2)


def test_merging_leaves_the_other_file_as_it_was() -> None:
    other = tokens(spent("b", 20))
    tokens(spent("a", 10)).merge(other)
    assert other.total() == Total(1, 20, 2, 3, 1)


@given(spendings)
def test_the_output_is_the_sum_of_the_largest_of_each_message(all: list[Spent]) -> None:
    largest: dict[str | None, int] = {}
    for each in all:
        largest[each.message_id] = max(each.output, largest.get(each.message_id, 0))
    total = tokens(*all).total()
    assert (total.output, total.messages) == (sum(largest.values()), len(largest))


@given(spendings, spendings)
def test_two_files_merged_count_as_one_file_with_both(one: list[Spent], two: list[Spent]) -> None:
    merged = tokens(*one)
    merged.merge(tokens(*two))
    whole = tokens(*one, *two).total()
    assert (merged.total().output, merged.total().messages) == (whole.output, whole.messages)
