"""Does what the README tells a newcomer to do, word for word: its quick start's shell lines, with a
server and a worker as `./dev up` starts them."""

import json
import re
import subprocess
import unittest

import harness

UP = harness.ROOT / "dev"


def quick_start():
    """The shell lines of the README's quick start, those of `./dev` itself left out."""
    text = (harness.ROOT / "README.md").read_text(encoding="utf-8")
    section = re.search(r"^## Quick start\n(.*?)^## ", text, re.M | re.S).group(1)
    blocks = re.findall(r"^```sh\n(.*?)^```", section, re.M | re.S)
    return [block for block in blocks if "curl" in block]


class QuickStart(harness.Case):
    def test_three_curl_lines_enqueue_a_job_watch_it_and_read_its_result(self):
        server = self.serve()
        greet = harness.ROOT / "examples" / "programs" / "greet"
        self.work(server, "--exec", f"GREET={greet}")
        (block,) = quick_start()
        self.assertEqual(len(re.findall(r"\bcurl\b", block)), 3, block)
        script = block.replace("http://127.0.0.1:7788", server.url)
        self.assertIn(server.url, script)
        ended = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", script],
            capture_output=True,
            text=True,
            timeout=harness.PATIENCE,
            check=False,
        )
        self.assertEqual(ended.returncode, 0, ended.stderr)
        last = ended.stdout.strip().splitlines()[-1]
        self.assertEqual(json.loads(last)["greeting"], "Hello, Ada!", ended.stdout)
        self.assertIn('"to":"SUCCESS"', ended.stdout)


if __name__ == "__main__":
    unittest.main()
