"""Runs client.test.mjs with a server, a worker, and proxies that drop responses."""

import signal
import subprocess
import unittest

import sdk
import network_test


class TypescriptClient(sdk.Case):
    language = "TypeScript"

    def test_all_of_client_test_mjs(self):
        server = self.serve()
        self.start(server.url)
        loser = self.behind(network_test.Proxy, server)
        cutter = self.behind(network_test.Cutter, server)
        ended = subprocess.run(
            ["node", "--test", str(sdk.HERE / "client.test.mjs")],
            env=sdk.environment(
                LONGSHORE_SERVER=server.url, LOSING_SERVER=loser.url, CUTTING_SERVER=cutter.url
            ),
            capture_output=True,
            text=True,
            timeout=sdk.harness.PATIENCE,
            check=False,
        )
        self.assertEqual(ended.returncode, 0, ended.stdout + ended.stderr)
        self.assertRegex(ended.stdout, r"# pass [1-9]", ended.stdout)
        for proxy in (loser, cutter):
            self.assertEqual(proxy.lost, ["/jobs", "/jobs/batch"])

    def behind(self, make_proxy, server):
        """A proxy that drops the first response of each path."""
        seen = []

        def first_of_each(path, _):
            seen.append(path)
            return seen.count(path) == 1

        proxy = make_proxy(server.port, first_of_each)
        self.addCleanup(proxy.close)
        return proxy

    def test_a_call_is_retried_while_the_server_restarts(self):
        server = self.serve()
        job = server.enqueue()
        program = (
            "const { Client } = await import(process.env.LONGSHORE_SDK);"
            f"const client = new Client(); const get = () => client.get('{job}');"
            "console.log((await get()).status);"
            "await new Promise((go) => process.once('SIGUSR2', go));"
            "console.log((await get()).status + ' again'); client.close();"
        )
        client = sdk.Program(
            ["node", "--input-type=module", "-e", "const t = setInterval(() => {}, 1e3);"
             + program + "clearInterval(t);"],
            self.folder,
            sdk.environment(LONGSHORE_SERVER=server.url),
        )  # fmt: skip
        self.addCleanup(client.kill)
        client.await_line("PENDING")
        self.serve_again(server)
        client.signal(signal.SIGUSR2)
        client.await_line("PENDING again")
        self.assertEqual(client.wait(), 0)


if __name__ == "__main__":
    unittest.main()
