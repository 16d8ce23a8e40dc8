"""A plugin of pytest: testcontainers as it is, but for docker.  A container that is
started is the server at SERVER_PORT, if it is what docs/ci.md should ask for."""
import os
from unittest import mock

from testcontainers.core import container

container.DockerClient = mock.MagicMock()


def start(self):
    asked = (self.image, self._command, [int(port) for port in self.ports])
    assert asked == ('dynamo', '-c fsync=off', [8000]), asked
    self._wait_strategy.wait_until_ready(self)
    return self


container.DockerContainer.start = start
container.DockerContainer.stop = lambda self, *_, **__: None
container.DockerContainer.get_container_host_ip = lambda self: 'localhost'
container.DockerContainer.get_exposed_port = lambda self, port: {8000: int(os.environ['SERVER_PORT'])}[port]
