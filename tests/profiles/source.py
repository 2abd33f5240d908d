"""What the tests of one profile share: the contract's server and jobs, started under the profile.

Each file here goes through one of the systems that Longshore grew out of and asks the running
program whether what that system promises is true. docs/sources.md names these tests row by row.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "e2e" / "contract"))

import contract  # noqa: E402
import stores  # noqa: E402
from contract import FAILURE, clock_passes, later, moment, written  # noqa: E402,F401

KIND = stores.KIND


class Source(contract.Contract):
    profile = "native"
    rules = {}  # values that a test cannot wait for, made small

    @classmethod
    def setUpClass(cls):
        cls.case = contract.harness.Case()
        cls.case.setUp()
        lines = [f"{name} = {value}" for name, value in cls.rules.items()]
        text = f'profile = "{cls.profile}"\n[rules]\n' + "\n".join(lines) + "\n" + cls.more()
        (cls.case.folder / "longshore.toml").write_text(text)
        cls.start()

    @classmethod
    def more(cls):
        """Further lines of longshore.toml."""
        return ""

    def again(self):
        """The server is killed and started on the same store."""
        self.connection.close()
        self.server.stop(contract.harness.signal.SIGKILL)
        type(self).start()

    def word(self, job):
        """Its state as the profile's own document calls it."""
        return self.ok(self.get(f"/jobs/{job}/details?view={self.profile}"))["state"]

    def fail_job(self, job, token, **fields):
        return self.ok(self.settle("fail", job, token, **{"error": FAILURE, **fields}))

    def next_token(self, **fields):
        (lease,) = self.lease(waitSeconds=30, **fields)
        return lease["leaseToken"]
