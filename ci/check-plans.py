# SPDX-License-Identifier: Apache-2.0
# The schema of plans for editors, judged by python3-jsonschema: it is one, it takes every plan of this repository and
# every canonical text, and of plans with a mistake it refuses what tacho plan refuses.
import glob
import json
import os
import subprocess
import sys
import tempfile

import jsonschema
import yaml

TACHO = os.environ.get("TACHO_BUILD", "build/release") + "/tacho"
HEAD = "title: t\nengines: [{ name: a, builtin: epoll }]\n"
LOAD = "workloads: [{ name: w, get: /, connections: 1 }]\n"
COURSES = (
    "workloads: [{ name: w, get: /, connections: 1, rate: '1,2k/s' }, "
    "{ name: v, get: /, connections: 1, rate: 1k..2M..3/s }]\n"
)
BAD = [
    "title: t\n",
    HEAD,
    HEAD + LOAD + "windw: 5s\n",
    HEAD + LOAD + "window: 5\n",
    HEAD + LOAD + "window: 5 s\n",
    HEAD + LOAD + "trials: 0\n",
    HEAD + LOAD + "trials: many\n",
    HEAD + LOAD + "aa: sure\n",
    HEAD + LOAD + "machine: { cpus: 1 }\n",
    HEAD + LOAD + "machine: { server_cpus: a }\n",
    HEAD + LOAD + "include: 5\n",
    HEAD + LOAD + "claims: [{ id: C }]\n",
    HEAD + LOAD + "claims: [{ id: C, ratio: speed, of: a, over: a }]\n",
    HEAD + LOAD + "claims: [{ id: C, no_errors: false }]\n",
    "title: t\nengines: []\n" + LOAD,
    "title: t\nengines: [{ name: a }]\n" + LOAD,
    "title: t\nengines: [{ name: a, builtin: nginx }]\n" + LOAD,
    "title: t\nengines: [{ name: a, builtin: limit }]\n" + LOAD,
    "title: t\nengines: [{ name: a, builtin: epoll, thread: 2 }]\n" + LOAD,
    "title: t\nengines: [{ name: a, builtin: pool, threads: 1025 }]\n" + LOAD,
    "title: t\nengines: [{ name: a, builtin: epoll, environment: { 1: x } }]\n" + LOAD,
    "title: t\nengines: [{ name: a, builtin: epoll, environment: { TACHO_X: x } }]\n" + LOAD,
    "title: t\nengines: [{ name: a, builtin: epoll, arguments: x }]\n" + LOAD,
    "title: t\nengines: [{ name: a, command: x, port: 1 }]\n" + LOAD,
    "title: t\nengines: [{ name: a, command: [x], port: 0 }]\n" + LOAD,
    "title: t\nengines: [{ name: a, command: [x], port: 1, stdin: tty }]\n" + LOAD,
    "title: t\nengines: [{ name: a, external: apache }]\n" + LOAD,
    "title: t\nengines: [{ name: a, url: 'http://10.0.0.1' }]\n" + LOAD,
    "title: t\nengines: [{ name: a, url: 'http://127.0.0.1/x' }]\n" + LOAD,
    "title: t\nengines: [{ name: a, builtin: epoll, url: 'http://127.0.0.1' }]\n" + LOAD,
    "title: t\nengines: [{ name: a, builtin: epoll, pid: 3 }]\n" + LOAD,
    "title: t\nengines: [{ name: a, builtin: epoll, allocator: malloc }]\n" + LOAD,
    HEAD + "workloads: [{ name: w, connections: 1 }]\n",
    HEAD + "workloads: [{ name: w, get: / }]\n",
    HEAD + "workloads: [{ name: w, get: ping, connections: 1 }]\n",
    HEAD + "workloads: [{ name: w, get: /, head: /, connections: 1 }]\n",
    HEAD + "workloads: [{ name: w, get: /, connections: 0 }]\n",
    HEAD + "workloads: [{ name: w, get: /, connections: [1, 1] }]\n",
    HEAD + "workloads: [{ name: w, get: /, connections: 1, rate: 5 }]\n",
    HEAD + "workloads: [{ name: w, get: /, connections: 1, rate: '1,2..3/s' }]\n",
    HEAD + "workloads: [{ name: w, get: /, connections: 1, rate: [1/s, 2..3/s] }]\n",
    HEAD + "workloads: [{ name: w, get: /, connections: 1, arrivals: poisson }]\n",
    HEAD + "workloads: [{ name: w, get: /, connections: 1, body: x }]\n",
    HEAD + "workloads: [{ name: w, get: /, connections: 1, expect: { status: 99 } }]\n",
    HEAD + "workloads: [{ name: w, get: /, flood: { connections: 1 } }]\n",
    HEAD + "workloads: [{ name: w, get: /, connections: 1, window: 0 }]\n",
]


def tacho_plan(*arguments):
    return subprocess.run([TACHO, "plan", *arguments], capture_output=True, text=True, check=False)


def main():
    with open("datasets/plans/plan.schema.json", encoding="utf-8") as file:
        schema = json.load(file)
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    failed = 0
    good = {path: open(path, encoding="utf-8").read() for path in sorted(glob.glob("datasets/plans/*.yaml"))}
    for path in list(good):
        good[path + " --print"] = tacho_plan(path, "--print").stdout
    good["rates that change"] = HEAD + COURSES
    for path, text in good.items():
        for error in validator.iter_errors(yaml.safe_load(text)):
            print(f"check-plans: {path}: {error.json_path}: {error.message}", file=sys.stderr)
            failed += 1
    with tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
        for number, text in enumerate(BAD):
            file.seek(0)
            file.truncate()
            file.write(text)
            file.flush()
            if tacho_plan(file.name).returncode != 2:
                print(f"check-plans: bad plan {number} is none for tacho: {text}", file=sys.stderr)
                failed += 1
            if validator.is_valid(yaml.safe_load(text)):
                print(f"check-plans: bad plan {number} passes the schema: {text}", file=sys.stderr)
                failed += 1
    print(f"check-plans: {len(good)} good ones, {len(BAD)} bad ones, {failed} mistakes")
    return failed != 0


sys.exit(main())
