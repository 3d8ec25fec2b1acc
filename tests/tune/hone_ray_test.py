#!/usr/bin/env python3
"""Tests of tools/tune/hone_ray.py with workers on this machine: nothing is lost, and nothing measured
twice, whatever is killed. Skipped, with status 77, where there is no Ray.

usage: hone_ray_test.py HONE
"""
import json
import pathlib
import subprocess
import sys
import tempfile
import time
import unittest

try:
    import ray  # noqa: F401
except ImportError:
    sys.exit(77)

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
HONE = str(pathlib.Path(sys.argv.pop(1)).resolve())

# The worker of `hone measure`: a shell that notes the jobs which it is given, and fails in some.
WORKER = """read job
case "$job" in
  *'"program"'*) ;;
  *) echo '{"device": "sim", "device_name": "none"}'; exit;;
esac
echo "$job" | sed 's/.*"id":"\\([^"]*\\)".*/\\1/' >> FOLDER/started
case "$job" in
  *hang*) sleep 1000;;
  *slow*) [ -e FOLDER/fast ] || sleep 1000;;
  *doom*) if [ ! -e FOLDER/lost ]; then touch FOLDER/lost; kill -9 $(cat FOLDER/actor); sleep 9; fi;;
  *lose*) if [ ! -e FOLDER/lost ]; then touch FOLDER/lost; kill -9 $(cat FOLDER/pipe); sleep 9; fi;;
esac
echo '{"status": "ready"}'
read ask
echo '{"status": "measured", "milliseconds": 1.5}'
"""
# A pipe that tells its number and its actor's, so that they can be killed.
PIPE = """echo $$ > FOLDER/pipe
echo $PPID > FOLDER/actor
exec HONE "$@" --limit=3 --worker-command="sh FOLDER/worker.sh"
"""


class HoneRay(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        for name, text in (("worker.sh", WORKER), ("pipe.sh", PIPE)):
            filled = text.replace("FOLDER", folder.name).replace("HONE", HONE)
            (self.folder / name).write_text(filled)

    def start(self, jobs, workers):
        lines = [json.dumps({"program": "transpose/naive", "seed": n, **job})
                 for n, job in enumerate(jobs)]
        (self.folder / "jobs.jsonl").write_text("\n".join(lines) + "\n")
        command = [sys.executable, str(ROOT / "tools/tune/hone_ray.py"), "--workers=" + workers,
                   f"--hone=sh {self.folder}/pipe.sh", f"--log={self.folder}/log.jsonl",
                   f"{self.folder}/jobs.jsonl"]
        return subprocess.Popen(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def outcomes(self, jobs, workers):
        printed, _ = self.start(jobs, workers).communicate(timeout=240)
        results = [json.loads(line) for line in printed.splitlines()]
        return sorted((result["id"], result["status"]) for result in results)

    def started(self):
        path = self.folder / "started"
        return sorted(path.read_text().split()) if path.exists() else []

    def test_two_kinds_and_a_hung_candidate(self):
        jobs = [{"id": "a", "gpu": "H100 SXM"}, {"id": "hang", "gpu": "H100 SXM"},
                {"id": "b", "gpu": "H200"}]
        self.assertEqual(self.outcomes(jobs, "H100 SXM=1,H200=1"),
                         [("a", "measured"), ("b", "measured"), ("hang", "timed-out")])
        self.assertEqual(self.started(), ["a", "b", "hang"])

    def expect_a_second_try(self, lost):
        jobs = [{"id": "a"}, {"id": lost}, {"id": "b"}]
        self.assertEqual(self.outcomes(jobs, "H100 SXM=1"),
                         [("a", "measured"), ("b", "measured"), (lost, "measured")])
        self.assertEqual(self.started(), ["a", "b", lost, lost])

    def test_a_killed_pipe(self):
        self.expect_a_second_try("lose")

    def test_a_killed_actor(self):
        self.expect_a_second_try("doom")

    def test_a_killed_driver(self):
        jobs = [{"id": "a"}, {"id": "slow"}, {"id": "b"}]
        driver = self.start(jobs, "H100 SXM=1")
        while "slow" not in self.started():
            time.sleep(0.05)
        driver.kill()
        driver.communicate()
        (self.folder / "fast").touch()
        self.assertEqual(self.outcomes(jobs, "H100 SXM=1"),
                         [("a", "measured"), ("b", "measured"), ("slow", "measured")])
        self.assertEqual(self.started(), ["a", "b", "slow", "slow"])

    def test_a_kind_that_is_not_there(self):
        driver = self.start([{"id": "a", "gpu": "B200"}], "H100 SXM=1")
        self.assertTrue(driver.communicate(timeout=240)[1].endswith(
            "error: no worker has a GPU of the kind B200; there are H100 SXM\n"))
        self.assertEqual(driver.returncode, 1)


if __name__ == "__main__":
    unittest.main()
