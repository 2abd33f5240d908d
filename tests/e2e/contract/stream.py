"""Reads Server-Sent Events as a browser would."""

import http.client

PATIENCE = 30


class Stream:
    """One stream of events, read line by line until it ends."""

    def __init__(self, port, path, headers=None):
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
        self.connection.request("GET", path, headers=headers or {})
        self.answer = self.connection.getresponse()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.connection.close()

    def next(self):
        """The next event's fields; None at the end of the stream."""
        fields = {}
        while line := self.answer.readline():
            line = line.decode().rstrip("\r\n")
            if not line and fields:
                return fields
            if line and not line.startswith(":"):
                name, _, value = line.partition(":")
                fields[name] = value.removeprefix(" ")
        return None

    def comment(self):
        """Reads up to and including the first comment, after which the stream is live."""
        while line := self.answer.readline():
            if line.startswith(b":"):
                return line.decode().strip()
        return None

    def rest(self):
        events = []
        while event := self.next():
            events.append(event)
        return events
