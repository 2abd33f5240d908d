"""Namespaces on one server, each reached with a token of its own."""

import functools

from burdens.site import checked


class Tenants:
    def __init__(self, server):
        self._server = server
        made = checked(server.post("/tokens", {"role": "admin"}))
        self._admin = server.connect(token=made["token"])

    def connect_to(self, namespace):
        """What makes connections that reach this namespace."""
        wanted = {"role": "operator", "namespace": namespace}
        token = checked(self._admin.call("POST", "/tokens", wanted))["token"]
        return functools.partial(self._server.connect, token=token)
