"""Calls to a server: connections that are kept, and calls that are repeated.

Every call this package makes may be repeated: reading changes nothing, enqueues and replies by key
carry an idempotency key, leases a request id, and a worker's word is recognised by its token. So a
call whose answer was lost is sent again, after a pause that grows and is never the same for two
workers.
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

FIRST_WORD = 5.0  # seconds in which a worker finds no server until it says so, and
NEXT_WORD = 60.0  # until it says so again
DEFAULT_SERVER = "http://127.0.0.1:7788"
_FIRST_PAUSE = 0.1
_LONGEST_PAUSE = 5.0
_KEPT_CONNECTIONS = 32
_REPEATED = frozenset({408, 425, 429, 500, 502, 503, 504, 507})
_PORTS = {"http": 80, "https": 443}


class Interrupt:
    """Lets another thread say that nobody waits for the answer of a call any more.

    The connection is closed for writing alone. The server then sees that the caller has gone and
    hands out nothing; what it had already answered can still be read, so no lease gets lost.
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
        """Not so long if it fires."""
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
            # Not the TLS socket's own shutdown, which would end reading as well.
            socket.socket.shutdown(self._socket, socket.SHUT_WR)
        except OSError:
            pass  # it is gone already


class Ending(Interrupt):
    """Says to any number of calls that they are not to be repeated any more."""

    def watch(self, connection: Optional[http.client.HTTPConnection]) -> None:
        pass


class Transport:
    """Safe to share between threads."""

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
            raise ValueError(f"a server's address begins with http:// or https://, not {server!r}")
        self.server = server
        self._host, self._port = address.hostname, address.port or _PORTS[address.scheme]
        self._base = quote(address.path.rstrip("/"), safe="/%~!$&'()*+,;=:@")
        self._tls = _trusting(ca_cert) if address.scheme == "https" else None
        self._timeout = timeout
        self._headers = {"Accept": "application/json", "User-Agent": f"longshore-python/{VERSION}"}
        if token:
            if not token.isascii() or not token.isprintable():
                raise ValueError("a token is one line of ASCII; this one is not")
            self._headers["Authorization"] = f"Bearer {token}"
        self._lock = threading.Lock()
        self._idle: List[http.client.HTTPConnection] = []
        self._process = os.getpid()  # whose connections they are
        self._ahead = 0.0  # seconds by which the server's clock is ahead of ours, at most

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
        """The status and the JSON of a good answer. Tries for `patience` seconds, at least once.

        Raises ApiError for a refusal and Unreachable if there was no answer.
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
                raise Unreachable(f"{self.server} is not to be trusted: {error}") from error
            except (OSError, http.client.HTTPException) as error:
                wait = jittered(pause)
                failure = Unreachable(f"{self.server}: {error or type(error).__name__}")
                failure.__cause__ = error
            if interrupt.fired or time.monotonic() + wait > end:
                raise failure
            interrupt.sleep(wait)
            pause = min(2 * pause, _LONGEST_PAUSE)

    def seconds_until(self, at: datetime) -> float:
        """By the server's clock as its latest answer told it; up to a second too few."""
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
            self.close()  # the server has closed what was idle; a new connection tells the truth
            return self._once(method, path, text, headers, timeout, interrupt)
        if status >= 400:
            raise ApiError(status, _problem(answer, content))
        if status >= 300:
            where = answer.headers.get("Location")
            raise Unreachable(f"{self.server} answers {status} to {where}: is that its address?")
        try:
            return status, json.loads(content) if content else None
        except ValueError as error:
            told = "its answer is no JSON; is it a Longshore server?"
            raise http.client.HTTPException(told) from error

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
            # A server that has heard too much hangs up, and why can still be read.
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
        """Answers tell whole seconds, so the server's clock may be a second further."""
        try:
            self._ahead = parsedate_to_datetime(date).timestamp() + 1 - time.time()
        except (TypeError, ValueError):
            pass  # a proxy that tells none

    def _take(self, timeout: float) -> Tuple[http.client.HTTPConnection, bool]:
        if self._process != os.getpid():
            # A fork has copied them; two processes would read each other's answers.
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
    """Raises TypeError or ValueError for what JSON cannot say, such as NaN."""
    # As UTF-8, since the server's limits are for the text as it comes.
    return json.dumps(value, allow_nan=False, ensure_ascii=False, separators=(",", ":")).encode()


def is_passing(error: Exception) -> bool:
    """Whether the same call may succeed later on."""
    return isinstance(error, Unreachable) or (
        isinstance(error, ApiError) and error.status in _REPEATED
    )


def jittered(pause: float) -> float:
    return random.uniform(0.5, 1.5) * pause


def _trusting(ca_cert: Optional[str]) -> ssl.SSLContext:
    try:
        return ssl.create_default_context(cafile=ca_cert)
    except OSError as error:
        raise ValueError(f"no certificates can be read from {ca_cert!r}: {error}") from error


def retry_after(error: Exception) -> float:
    """Seconds that the server asks us to wait; 0 if it does not."""
    problem = error.problem if isinstance(error, ApiError) else {}
    try:
        return random.uniform(1.0, 1.2) * float(problem.get("retryAfter", 0))
    except (TypeError, ValueError):
        return 0.0


def _problem(answer: http.client.HTTPResponse, content: bytes) -> Dict[str, Any]:
    problem: Dict[str, Any] = {"detail": content[:200].decode("utf-8", "replace") or answer.reason}
    try:
        told = json.loads(content)
        problem = told if isinstance(told, dict) else problem
    except ValueError:
        pass  # it does not come from a Longshore server; a proxy, say
    problem["retryAfter"] = answer.headers.get("Retry-After", 0)
    return problem
