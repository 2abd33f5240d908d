"""How an attempt can end besides returning a result; each may be returned or raised.

Any other exception is a failure too: it is retried by the job's own back-off, with the exception's
text as the message and its trace in the details.
"""

from __future__ import annotations

from typing import Any, Optional


class Outcome(Exception):
    """The base of them all."""


class Retry(Outcome):
    """It did not work; try again after so many seconds, else by the job's back-off. Counted."""

    def __init__(
        self,
        message: str = "",
        *,
        after: Optional[float] = None,
        code: Optional[str] = None,
        details: Any = None,
    ) -> None:
        super().__init__(message)
        self.message, self.after, self.code, self.details = message, after, code, details


class Fatal(Outcome):
    """Trying again would not help: the job goes to the dead letters."""

    def __init__(
        self, message: str = "", *, code: Optional[str] = None, details: Any = None
    ) -> None:
        super().__init__(message)
        self.message, self.code, self.details = message, code, details


class Release(Outcome):
    """Not now: back to the front of the queue, or after so many seconds. Nothing is counted."""

    def __init__(self, *, after: Optional[float] = None) -> None:
        super().__init__("released")
        self.after = after


class HandOff(Outcome):
    """Somebody outside will finish the job, by its key or with this attempt's token."""

    def __init__(self, *, timeout: Optional[float] = None) -> None:
        super().__init__("handed off")
        self.timeout = timeout


class Canceled(Outcome):
    """The handler gave in to a cancellation."""

    def __init__(self, message: str = "canceled") -> None:
        super().__init__(message)
        self.message = message
