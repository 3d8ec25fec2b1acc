#!/usr/bin/env python3
"""Measures jobs on the GPUs of many machines: Ray runs an actor for each GPU, which drives a pipe of
`hone measure`.

usage: hone_ray.py [--address ADDRESS] [--hone COMMAND] [--workers KIND=N,...] [--log FILE] JOBS.jsonl

Jobs and results are lines of JSON, as `hone measure` has them. The "gpu" of a job is the kind of GPU
that measures it, as Ray names it: "H100", "H200". Each kind has a queue. --workers starts so many
actors for a kind that need no GPU; default: one for each GPU of the cluster. Actors restart without
limit, and a job whose actor is lost is measured by another. --log FILE keeps results: the same
command goes on where it was ended, and measures nothing twice.
"""
import argparse
import collections
import hashlib
import json
import os
import pathlib
import shlex
import subprocess
import sys

import ray

ACCELERATOR = "accelerator_type:"


@ray.remote(max_restarts=-1, max_task_retries=-1)
class Worker:
    """The pipe to one `hone measure`."""

    def __init__(self, hone):
        self.command = shlex.split(hone) + ["measure", "--workers=1"]
        self.pipe = None

    def measure(self, job):
        """The result of a job. A pipe that breaks gets one more try."""
        for _ in range(2):
            if self.pipe is None:
                self.pipe = subprocess.Popen(self.command, text=True, stdin=subprocess.PIPE,
                                             stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            try:
                self.pipe.stdin.write(json.dumps(job) + "\n")
                self.pipe.stdin.flush()
                line = self.pipe.stdout.readline()
            except BrokenPipeError:
                line = ""
            if line.endswith("\n"):
                return json.loads(line)
            problem, self.pipe = self.end(), None
        return {**job, "status": "failed", "problem": problem}

    def end(self):
        """Why the pipe broke."""
        self.pipe.kill()
        return self.pipe.communicate()[1].strip() or f"hone ended with {self.pipe.returncode}"


def address_of(job):
    """Equal jobs have equal addresses; `id` has no part in it."""
    content = {name: value for name, value in job.items() if name != "id"}
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def read_jobs(path):
    """Jobs by address: equal ones once. Ends the program for a line that is no job."""
    jobs = {}
    for number, line in enumerate(pathlib.Path(path).read_text().splitlines(), 1):
        try:
            job = json.loads(line)
            jobs[address_of(job)] = job
        except (ValueError, AttributeError):
            sys.exit(f"error: {path}:{number}: the line is no job of `hone measure`")
    return jobs


class Log:
    """Results by the addresses of their jobs. A killed process leaves at most half a line."""

    def __init__(self, path):
        self.path, self.results = path, {}
        text = pathlib.Path(path).read_text() if path and pathlib.Path(path).exists() else ""
        whole = text[: text.rfind("\n") + 1]
        for line in whole.splitlines():
            result = json.loads(line)
            self.results[result["job"]] = result
        if whole != text:
            pathlib.Path(path).write_text(whole)

    def add(self, address, result):
        self.results[address] = {"job": address, **result}
        if self.path:
            with open(self.path, "a") as file:
                file.write(json.dumps(self.results[address]) + "\n")


def kinds_of(words):
    """The number of workers by kind: "H100=2,A100=1", or the GPUs of the cluster."""
    if words:
        pairs = (word.rpartition("=") for word in words.split(","))
        return {kind: (int(count), {}) for kind, _, count in pairs}
    kinds = {}
    for node in ray.nodes():
        resources = node["Resources"] if node["Alive"] else {}
        for name in resources:
            if name.startswith(ACCELERATOR):
                kind, gpus = name[len(ACCELERATOR):], int(resources.get("GPU", 0))
                known = kinds.get(kind, (0, {}))[0]
                kinds[kind] = (known + gpus, {"num_gpus": 1, "resources": {name: 0.001}})
    return kinds


def run(jobs, workers, log, output):
    """Measures jobs, from a queue for each kind, until none is left. Writes results as they come."""
    queues = collections.defaultdict(collections.deque)
    for address, job in jobs.items():
        if address in log.results:
            print(json.dumps(log.results[address]), file=output, flush=True)
        else:
            queues[job.get("gpu", next(iter(workers)))].append((address, job))
    missing = sorted(set(queues) - set(workers))
    if missing:
        sys.exit(f"error: no worker has a GPU of the kind {', '.join(missing)}; "
                 f"there are {', '.join(workers)}")
    idle = [(kind, worker) for kind, actors in workers.items() for worker in actors]
    pending = {}
    while pending or any(queues.values()):
        for kind, worker in [pair for pair in idle if queues[pair[0]]]:
            if queues[kind]:
                idle.remove((kind, worker))
                address, job = queues[kind].popleft()
                pending[worker.measure.remote(job)] = (kind, worker, address, job)
        for done in ray.wait(list(pending))[0]:
            kind, worker, address, job = pending.pop(done)
            idle.append((kind, worker))
            try:
                log.add(address, ray.get(done))
                print(json.dumps(log.results[address]), file=output, flush=True)
            except ray.exceptions.RayError:  # the worker was lost for good
                queues[kind].append((address, job))


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    for option in ("--address", "--workers", "--log"):
        parser.add_argument(option)
    parser.add_argument("--hone", default="hone")
    parser.add_argument("jobs")
    given = parser.parse_args()
    jobs, log = read_jobs(given.jobs), Log(given.log)
    output = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # messages of Ray
    ray.init(address=given.address, log_to_driver=False, logging_level="ERROR")
    workers = {kind: [Worker.options(**needs).remote(given.hone) for _ in range(count)]
               for kind, (count, needs) in kinds_of(given.workers).items()}
    if not workers:
        sys.exit("error: the cluster has no GPU; --workers=KIND=N starts workers without one")
    run(jobs, workers, log, output)


if __name__ == "__main__":
    main()
