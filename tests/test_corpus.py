"""Every real transcript agrees with the plainest count of it (also: make corpus)."""

import pytest

from tests.acceptance import corpus
from tests.acceptance.shared import CORPUS, module


@pytest.mark.skipif(not CORPUS.exists(), reason=f"the corpus is not here: {CORPUS.name}")
def test_every_transcript_of_the_corpus_agrees_with_the_oracle() -> None:
    count = module(CORPUS / "oracle.py").count
    found = {str(path): corpus.compare(path, count)[1] for path in corpus.transcripts(CORPUS)}
    assert {path: difference for path, difference in found.items() if difference} == {}
