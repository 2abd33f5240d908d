"""HTTP calls to the server, with keep-alive connections and retries.

Every call of this package is safe to retry: reads have no effect, enqueues and replies by key carry
an idempotency key, lease requests carry a request ID, and outcomes are identified by the lease
token. So a call whose response was lost is sent again, with exponential back-off and jitter.
"""

from __future__ import annotations

import http.client
import json
import os
import random
import socket
import ssl
import threading
import time
from datetime import datetime
from email.utils import parsedate_to_datetime
from typing import Any, Dict, List, Mapping, Optional, Tuple
from urllib.parse import quote, urlsplit

from .errors import ApiError, LongshoreError, Unreachable
from .version import VERSION

FIRST_WARNING = 5.0  # seconds without a server until a worker logs the first warning
NEXT_WARNING = 60.0  # seconds between further warnings
DEFAULT_SERVER = "http://127.0.0.1:7788"
_FIRST_PAUSE = 0.1
_LONGEST_PAUSE = 5.0
_KEPT_CONNECTIONS = 32
_REPEATED = frozenset({408, 425, 429, 500, 502, 503, 504, 507})
_PORTS = {"http": 80, "https": 443}


class Interrupt:
    """Lets another thread end a long poll.

    It only closes the write side of the connection. The server sees that the caller has gone and
    leases nothing more; a response already sent can still be read, so no lease is lost.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._socket: Optional[socket.socket] = None
        self._event = threading.Event()

    @property
    def fired(self) -> bool:
        return self._event.is_set()

    def fire(self) -> None:
        with self._lock:
            self._event.set()
            self._close()

    def sleep(self, seconds: float) -> None:
        """Returns early if it fires."""
        self._event.wait(seconds)

    def watch(self, connection: Optional[http.client.HTTPConnection]) -> None:
        with self._lock:
            self._socket = None if connection is None else connection.sock
            if self.fired:
                self._close()

    def _close(self) -> None:
        if self._socket is None:
            return
        try:
            # Not the TLS socket's own shutdown, which would also close the read side.
            socket.socket.shutdown(self._socket, socket.SHUT_WR)
        except OSError:
            pass  # already closed


class Ending(Interrupt):
    """Ends the retries of any number of calls."""

    def watch(self, connection: Optional[http.client.HTTPConnection]) -> None:
        pass


class Transport:
    """Thread-safe."""

    def __init__(
        self,
        server: Optional[str] = None,
        token: Optional[str] = None,
        ca_cert: Optional[str] = None,
        timeout: float = 30.0,
    ) -> None:
        server = server or os.environ.get("LONGSHORE_SERVER") or DEFAULT_SERVER
        token = (token or os.environ.get("LONGSHORE_TOKEN") or "").strip()
        ca_cert = ca_cert or os.environ.get("LONGSHORE_CA_CERT") or None
        address = urlsplit(server)
        if address.scheme not in ("http", "https") or not address.hostname:
            raise ValueError(f"the server URL must begin with http:// or https://, got {server!r}")
        self.server = server
        self._host, self._port = address.hostname, address.port or _PORTS[address.scheme]
        self._base = quote(address.path.rstrip("/"), safe="/%~!$&'()*+,;=:@")
        self._tls = _trusting(ca_cert) if address.scheme == "https" else None
        self._timeout = timeout
        self._headers = {"Accept": "application/json", "User-Agent": f"longshore-python/{VERSION}"}
        if token:
            if not token.isascii() or not token.isprintable():
                raise ValueError("the token must be one line of printable ASCII")
            self._headers["Authorization"] = f"Bearer {token}"
        self._lock = threading.Lock()
        self._idle: List[http.client.HTTPConnection] = []
        self._process = os.getpid()  # the process that opened the connections
        self._ahead = 0.0  # upper bound of the server's clock minus ours, in seconds

    def call(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        headers: Optional[Mapping[str, str]] = None,
        timeout: Optional[float] = None,
        patience: float = 0.0,
        interrupt: Optional[Interrupt] = None,
    ) -> Tuple[int, Any]:
        """Returns the status and the JSON. Retries for `patience` seconds.

        Raises ApiError for an error response and Unreachable if there is no response.
        """
        text = None if body is None else to_json(body)
        interrupt = interrupt or Interrupt()
        end, pause = time.monotonic() + patience, _FIRST_PAUSE
        failure: LongshoreError
        while True:
            try:
                return self._once(method, path, text, headers, timeout, interrupt)
            except ApiError as error:
                if error.status not in _REPEATED:
                    raise
                wait, failure = max(jittered(pause), retry_after(error)), error
            except ssl.SSLCertVerificationError as error:
                raise Unreachable(f"{self.server}: invalid certificate: {error}") from error
            except (OSError, http.client.HTTPException) as error:
                wait = jittered(pause)
                failure = Unreachable(f"{self.server}: {error or type(error).__name__}")
                failure.__cause__ = error
            if interrupt.fired or time.monotonic() + wait > end:
                raise failure
            interrupt.sleep(wait)
            pause = min(2 * pause, _LONGEST_PAUSE)

    def seconds_until(self, at: datetime) -> float:
        """Seconds by the server's clock, from its latest Date header; up to one second too few."""
        return at.timestamp() - (time.time() + self._ahead)

    def close(self) -> None:
        with self._lock:
            idle, self._idle = self._idle, []
        for connection in idle:
            connection.close()

    def _once(
        self,
        method: str,
        path: str,
        text: Optional[bytes],
        headers: Optional[Mapping[str, str]],
        timeout: Optional[float],
        interrupt: Interrupt,
    ) -> Tuple[int, Any]:
        sent: Dict[str, str] = {**self._headers, **(headers or {})}
        if text is not None:
            sent["Content-Type"] = "application/json"
        connection, kept = self._take(timeout or self._timeout)
        try:
            status, answer, content = self._exchange(
                connection, method, path, text, sent, interrupt
            )
        except (OSError, http.client.HTTPException) as error:
            connection.close()
            if not kept or interrupt.fired or isinstance(error, socket.timeout):
                raise
            self.close()  # the server closed idle connections; retry once on a new one
            return self._once(method, path, text, headers, timeout, interrupt)
        if status >= 400:
            raise ApiError(status, _problem(answer, content))
        if status >= 300:
            where = answer.headers.get("Location")
            raise Unreachable(f"{self.server} redirects to {where} ({status}); is the URL right?")
        try:
            return status, json.loads(content) if content else None
        except ValueError as error:
            message = "the response is not JSON; is it a Longshore server?"
            raise http.client.HTTPException(message) from error

    def _exchange(
        self,
        connection: http.client.HTTPConnection,
        method: str,
        path: str,
        text: Optional[bytes],
        headers: Mapping[str, str],
        interrupt: Interrupt,
    ) -> Tuple[int, http.client.HTTPResponse, bytes]:
        try:
            connection.request(method, self._base + path, body=text, headers=dict(headers))
        except (BrokenPipeError, ConnectionResetError):
            # The server closes the connection if the body is too large; its response is readable.
            if connection.sock is None:
                raise
        interrupt.watch(connection)
        try:
            answer = connection.getresponse()
            content = answer.read()
        finally:
            interrupt.watch(None)
        self._compare_clocks(answer.headers.get("Date", ""))
        if answer.will_close or interrupt.fired:
            connection.close()
        else:
            self._keep(connection)
        return answer.status, answer, content

    def _compare_clocks(self, date: str) -> None:
        """The Date header has whole seconds, so the server's clock may be a second ahead of it."""
        try:
            self._ahead = parsedate_to_datetime(date).timestamp() + 1 - time.time()
        except (TypeError, ValueError):
            pass  # a proxy may omit the header

    def _take(self, timeout: float) -> Tuple[http.client.HTTPConnection, bool]:
        if self._process != os.getpid():
            # Copied by a fork; two processes would read each other's responses.
            self._process = os.getpid()
            self.close()
        with self._lock:
            connection = self._idle.pop() if self._idle else None
        if connection is None:
            return self._open(timeout), False
        connection.timeout = timeout
        if connection.sock is not None:
            connection.sock.settimeout(timeout)
        return connection, True

    def _open(self, timeout: float) -> http.client.HTTPConnection:
        if self._tls is None:
            return http.client.HTTPConnection(self._host, self._port, timeout=timeout)
        return http.client.HTTPSConnection(
            self._host, self._port, timeout=timeout, context=self._tls
        )

    def _keep(self, connection: http.client.HTTPConnection) -> None:
        with self._lock:
            if len(self._idle) < _KEPT_CONNECTIONS:
                self._idle.append(connection)
                return
        connection.close()


def to_json(value: Any) -> bytes:
    """Raises TypeError or ValueError for values that JSON cannot represent, such as NaN."""
    # UTF-8 instead of \u escapes: the server's size limits apply to the encoded text.
    return json.dumps(value, allow_nan=False, ensure_ascii=False, separators=(",", ":")).encode()


def is_transient(error: Exception) -> bool:
    """True if the same call may succeed later."""
    return isinstance(error, Unreachable) or (
        isinstance(error, ApiError) and error.status in _REPEATED
    )


def jittered(pause: float) -> float:
    return random.uniform(0.5, 1.5) * pause


def _trusting(ca_cert: Optional[str]) -> ssl.SSLContext:
    try:
        return ssl.create_default_context(cafile=ca_cert)
    except OSError as error:
        raise ValueError(f"could not read certificates from {ca_cert!r}: {error}") from error


def retry_after(error: Exception) -> float:
    """The response's Retry-After in seconds, with jitter; 0 if there is none."""
    problem = error.problem if isinstance(error, ApiError) else {}
    try:
        return random.uniform(1.0, 1.2) * float(problem.get("retryAfter", 0))
    except (TypeError, ValueError):
        return 0.0


def _problem(answer: http.client.HTTPResponse, content: bytes) -> Dict[str, Any]:
    problem: Dict[str, Any] = {"detail": content[:200].decode("utf-8", "replace") or answer.reason}
    try:
        body = json.loads(content)
        problem = body if isinstance(body, dict) else problem
    except ValueError:
        pass  # not from a Longshore server but, for example, from a proxy
    problem["retryAfter"] = answer.headers.get("Retry-After", 0)
    return problem
