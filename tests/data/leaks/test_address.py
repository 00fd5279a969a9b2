"""Addresses: whatever is encoded comes back, each letter with its place."""

from itertools import pairwise
from urllib.parse import quote

from hypothesis import given
from hypothesis import strategies as st

from data.leaks.address import decoded


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=40))
def test_what_was_encoded_is_read_again_where_it_stands(plain: str) -> None:
    url = quote(plain, safe="")
    found, places = decoded(url)
    assert found == plain
    assert [url[a:b] for a, b in pairwise(places)] == [quote(letter, safe="") for letter in plain]
