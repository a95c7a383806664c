"""A subject over the line protocol: npx fuzz run --subject-command 'python3 python_subject.py'

It takes programs as C, compiles each with cc, and answers what each execution left. Put your compiler in compile().
"""

import json
import os
import struct
import subprocess
import sys
import tempfile


def compile(source, folder):
    path = os.path.join(folder, "program.c")
    with open(path, "w") as file:
        file.write(source)
    executable = os.path.join(folder, "program")
    flags = ["-w", "-std=c11", "-O1", "-ffp-contract=off"]
    done = subprocess.run(["cc", *flags, path, "-o", executable, "-lm"], capture_output=True, text=True)
    return executable, (done.stderr or "no message") if done.returncode != 0 else None


def run(executable, given):
    """One execution: the program reads its input as words, and writes its status and its records."""
    words = given["words"]
    asked = struct.pack(f"<{3 + len(words)}i", 0, given["heapSeed"], len(words), *words)
    done = subprocess.run([executable], input=asked, capture_output=True)
    if done.returncode != 0 or len(done.stdout) < 8:
        return {"crash": f"status {done.returncode}"}
    status, size = struct.unpack_from("<II", done.stdout)
    return {"status": status, "records": done.stdout[8 : 8 + size].hex()}


def answer(program):
    with tempfile.TemporaryDirectory() as folder:
        executable, error = compile(program["c"], folder)
        if error is not None:
            return {"error": error}
        return {"runs": [run(executable, given) for given in program["inputs"]]}


SHOWS = ["results", "memory", "calls", "exits", "resumption"]
print(json.dumps({"touchstone": 1, "name": "cc by Python", "format": "c", "shows": SHOWS}), flush=True)
for line in sys.stdin:
    print(json.dumps({"answers": [answer(program) for program in json.loads(line)["programs"]]}), flush=True)
