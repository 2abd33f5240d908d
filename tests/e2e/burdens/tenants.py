"""Namespaces on one server, each with its own token."""

import functools

from burdens.site import checked


class Tenants:
    def __init__(self, server):
        self._server = server
        made = checked(server.post("/tokens", {"role": "admin"}))
        self._admin = server.connect(token=made["token"])

    def connect_to(self, namespace):
        """A factory of connections to this namespace."""
        wanted = {"role": "operator", "namespace": namespace}
        token = checked(self._admin.call("POST", "/tokens", wanted))["token"]
        return functools.partial(self._server.connect, token=token)
