from __future__ import annotations

import pytest
from starlette.testclient import TestClient

from caplens.server.app import create_app
from caplens.server.limits import Limits


@pytest.fixture(scope="session")
def client():
    """A client of the playground without files, in this process."""
    with TestClient(create_app(limits=Limits(workers=2)), base_url="http://127.0.0.1:8642") as found:
        yield found
