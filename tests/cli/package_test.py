"""The Debian package, installed, started under its unit's command line and removed; and what else
is in packaging/, as far as it can be proved without a container runtime.

    LONGSHORE_BUILD   the build to package; default: build
"""

import json
import os
import re
import shlex
import subprocess
from pathlib import Path

from case import ROOT, Case, harness, main

BUILD = os.environ.get("LONGSHORE_BUILD", str(ROOT / "build"))
PACKAGING = ROOT / "packaging"
STATE = Path("/var/lib/longshore")


def run(*command, **options):
    return subprocess.run(command, capture_output=True, text=True, check=False, **options)


def as_root(*command, **options):
    rights = [] if os.geteuid() == 0 else ["sudo", "-n"]
    return run(*rights, *command, **options)


def apt(verb, package):
    """dpkg, but waits for the lock if another process installs packages."""
    options = ["DPkg::Lock::Timeout=240", "DPkg::Options::=--force-unsafe-io"]
    spelled = [word for option in options for word in ("-o", option)]
    return as_root("env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "-y", "-qq", *spelled, verb,
                   package)  # fmt: skip


def read_yaml(path):
    """Uses the system Python, for which Debian's YAML module is installed."""
    program = "import json, sys, yaml; print(json.dumps(yaml.safe_load(sys.stdin)))"
    read = run("/usr/bin/python3", "-c", program, input=path.read_text())
    assert read.returncode == 0, read.stderr
    return json.loads(read.stdout)


def unit():
    """The unit's settings, each with all its values."""
    settings = {}
    for line in (PACKAGING / "longshore.service").read_text().splitlines():
        name, equals, value = line.partition("=")
        if equals and not line.startswith("#"):
            settings.setdefault(name, []).append(value)
    return settings


class Debian(Case):
    def package(self):
        made = run(str(PACKAGING / "deb" / "build.sh"), BUILD, str(self.folder))
        self.assertEqual(made.returncode, 0, made.stderr)
        return made.stdout.strip()

    def installed(self):
        return run("dpkg-query", "-W", "-f=${db:Status-Status}", "longshore").stdout

    def test_it_is_installed_serves_a_job_and_is_removed(self):
        self.assertNotEqual(self.installed(), "installed", "a longshore is installed here already")
        self.assertFalse(STATE.exists(), f"{STATE} would be taken for this test's own")
        package = self.package()
        checked = run("lintian", "--tag-display-limit", "0", "--fail-on", "error", package)
        self.assertEqual(checked.returncode, 0, checked.stdout + checked.stderr)
        files = [Path("/" + line.split("./", 1)[1])
                 for line in run("dpkg-deb", "-c", package).stdout.splitlines()
                 if not line.endswith("/") and "./" in line]  # fmt: skip
        self.assertIn(Path("/usr/bin/longshore"), files)
        before = {path for path in files if path.exists()}
        self.assertEqual(before, set())
        done = apt("install", package)
        self.addCleanup(apt, "purge", "longshore")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue(all(path.exists() for path in files))
        self.serve_a_job()
        removed = apt("purge", "longshore")
        self.assertEqual(removed.returncode, 0, removed.stderr)
        self.assertEqual([path for path in files if path.exists()], [])
        self.assertFalse(Path("/etc/longshore").exists())
        self.assertFalse(Path("/usr/include/longshore").exists())
        self.assertTrue((STATE / "longshore.db").exists(), "the jobs stay")

    def serve_a_job(self):
        """What systemd would do: the state's folder, then the unit's command line."""
        as_root("install", "-d", "-m", "0700", "-o", str(os.geteuid()), STATE)
        self.addCleanup(as_root, "rm", "-rf", STATE)
        [line] = unit()["ExecStart"]
        command = shlex.split(line)
        self.assertEqual(command[0], "/usr/bin/longshore")
        environment = {"LONGSHORE_LISTEN": "127.0.0.1:0"}
        program, harness.PROGRAM = harness.PROGRAM, command[0]
        try:
            admin = {"LONGSHORE_TOKEN": self.first_token(command[command.index("--config") + 1])}
            server = harness.Process(*command[1:], cwd=STATE, env=environment)
            self.addCleanup(server.stop)
            url = server.await_line("serving")["url"]
            worker = harness.Process("work", "--server", url, "--exec", "ECHO=/bin/cat", env=admin)
            self.addCleanup(worker.stop)
            worker.await_line("working")
            enqueue = ["enqueue", "ECHO", "--payload", "[1]", "--wait", "--server", url]
            self.assertEqual(harness.run(*enqueue).returncode, 5, "it was served without a token")
            ended = harness.run(*enqueue, env=admin)
            self.assertEqual((ended.returncode, ended.stdout), (0, "[1]\n"), ended.stderr)
            self.assertEqual(worker.stop(), 0)
            self.assertEqual(server.stop(), 0)
        finally:
            harness.PROGRAM = program

    def first_token(self, configuration):
        made = harness.run("token", "create", "--role", "admin", "--config", configuration,
                           cwd=STATE)
        self.assertEqual(made.returncode, 0, made.stderr)
        return made.stdout.strip()

    def test_the_unit_is_sound_and_closed(self):
        settings = unit()
        for name, value in [("Type", "notify"), ("DynamicUser", "yes"), ("ProtectSystem", "strict"),
                            ("NoNewPrivileges", "yes"), ("CapabilityBoundingSet", "")]:  # fmt: skip
            self.assertEqual(settings[name], [value])
        [line] = settings["ExecStart"]
        parsed = harness.run(*shlex.split(line)[1:2], "--help")
        self.assertEqual(parsed.returncode, 0)
        config = PACKAGING / "longshore.toml"
        shown = self.ok(harness.run("config", "--json", "--config", config))
        store = json.loads(shown.stdout)["store"]["value"]
        self.assertEqual(store, f"sqlite:/var/lib/{settings['StateDirectory'][0]}/longshore.db")


class Monitoring(Case):
    def names(self):
        """All metrics of a server that has run a job."""
        server = self.serve()
        self.complete_job(server, server.enqueue(), {})
        names = set()
        for name, kind in re.findall(r"# TYPE (\S+) (\S+)", server.get("/metrics").body):
            names |= {name} if kind != "histogram" else {name + "_bucket", name + "_sum"}
        return names

    def test_alerts_and_board_ask_for_metrics_that_exist(self):
        rules = read_yaml(PACKAGING / "prometheus" / "alerts.yml")
        alerts = [rule for group in rules["groups"] for rule in group["rules"]]
        board = json.loads((PACKAGING / "grafana" / "longshore.json").read_text())
        asked = [alert["expr"] for alert in alerts]
        asked += [target["expr"] for panel in board["panels"] for target in panel["targets"]]
        known = self.names()
        for expression in asked:
            used = set(re.findall(r"longshore_\w+", expression))
            self.assertTrue(used, expression)
            self.assertLessEqual(used, known, expression)
        for alert in alerts:
            self.assertTrue(alert["annotations"]["summary"] and alert["annotations"]["description"])


class Containers(Case):
    def test_the_dockerfile_names_what_there_is(self):
        text = (PACKAGING / "docker" / "Dockerfile").read_text().replace("\\\n", " ")
        steps = [line.split(None, 1) for line in text.splitlines() if line and line[0] != "#"]
        for keyword, rest in steps:
            if keyword == "COPY" and "--from" not in rest:
                self.assertTrue((ROOT / rest.split()[0]).exists(), rest)
        [copied] = [rest for keyword, rest in steps if keyword == "COPY" and "--from" in rest]
        self.assertIn("/src/build/package/", copied)
        self.assertIn("build/package", (ROOT / "dev").read_text())
        for keyword in ("CMD", "HEALTHCHECK"):
            [rest] = [rest for name, rest in steps if name == keyword]
            words = json.loads(rest[rest.index("[") :])
            self.takes(words[1:] if words[0] == "longshore" else words)

    def takes(self, words):
        """The program knows the command, and each of its flags."""
        known = self.ok(harness.run(words[0], "--help")).stdout
        for flag in (word for word in words if word.startswith("--")):
            self.assertIn(flag + " ", known)

    def test_the_compose_file_fits_together(self):
        compose = read_yaml(PACKAGING / "docker" / "compose.yml")
        services = compose["services"]
        for name, service in services.items():
            with self.subTest(name):
                for other in service.get("depends_on", {}):
                    self.assertIn(other, services)
                for volume in service.get("volumes", []):
                    self.assertIn(volume.split(":")[0], compose["volumes"])
                if "build" in service:
                    folder = (PACKAGING / "docker" / service["build"]["context"]).resolve()
                    self.assertTrue((folder / service["build"]["dockerfile"]).exists())
                for variable in service.get("environment", {}):
                    option = variable.removeprefix("LONGSHORE_").lower().replace("_", "-")
                    options = self.ok(harness.run("config", "--json")).stdout
                    self.assertTrue(name == "db" or option in json.loads(options), variable)
        self.takes(services["longshore"]["command"])
        for name in ("token", "worker"):
            [line] = services[name]["command"]
            words = shlex.split(line[line.index("longshore") :].split(" > ")[0])[1:]
            self.takes(words if name == "worker" else words[:1] + ["--help"])


if __name__ == "__main__":
    main()
