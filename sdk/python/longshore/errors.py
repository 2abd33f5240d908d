"""The exceptions of this package."""

from __future__ import annotations

from typing import Any, Mapping, Optional, Sequence


class LongshoreError(Exception):
    """The base class of this package's exceptions."""


class Unreachable(LongshoreError):
    """The server did not respond. The call may or may not have taken effect."""


class ApiError(LongshoreError):
    """An error response. `code` is stable and meant for programs, `detail` for people."""

    def __init__(self, status: int, problem: Mapping[str, Any]) -> None:
        self.status = status
        self.code: str = str(problem.get("code", "INTERNAL"))
        self.detail: str = str(problem.get("detail") or problem.get("title") or "")
        self.errors: Sequence[Mapping[str, str]] = problem.get("errors") or ()
        self.problem = problem
        super().__init__(self._text())

    def _text(self) -> str:
        named = (f"{e.get('field')}: {e.get('detail')}" for e in self.errors)
        fields = "; ".join(one for one in named if one not in self.detail)
        text = f"{self.status} {self.code}: {self.detail}"
        return f"{text} ({fields})" if fields else text


class LeaseLost(LongshoreError):
    """This attempt no longer holds the job's lease; its outcome is discarded."""


class JobFailed(LongshoreError):
    """The awaited job failed permanently."""

    def __init__(self, job_id: str, code: Optional[str], message: Optional[str]) -> None:
        self.job_id, self.code, self.message = job_id, code, message
        super().__init__(f"job {job_id} failed: {code}: {message}")


class JobCanceled(LongshoreError):
    """The awaited job was canceled or has expired."""

    def __init__(self, job_id: str, code: Optional[str], message: Optional[str]) -> None:
        self.job_id, self.code, self.message = job_id, code, message
        super().__init__(f"job {job_id} was canceled: {code}: {message}")
