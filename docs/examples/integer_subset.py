"""A compiler of a part of the language: npx fuzz run --subject-command 'python3 integer_subset.py'

It supports integers of 32 bits, seven operations and branches, in one procedure, and says so in its first line: then
all programs are drawn within that. It translates a procedure to Python. Put your compiler in compile().
"""

import json
import re
import sys

OPERATIONS = {"Add": "+", "Sub": "-", "Mul": "*", "BitAnd": "&", "BitOr": "|", "BitXor": "^"}
SUPPORTS = {"types": ["Int32"], "opcodes": [*OPERATIONS, "Branch"], "procedures": 1}


class Declined(Exception):
    """The program is outside of the subset."""


def statement(line):
    """One value of the language as lines of Python."""
    text = line.split(";")[0].strip()
    name, opcode, operands = re.fullmatch(r"\w+ @(\d+) = (\w+)\((.*)\)", text).groups()
    words = [word.strip() for word in operands.split(",")]
    names = [word.lstrip("@^#") for word in words]
    if opcode == "Const32":
        return [f"v{name} = {int(words[0], 0)}"]
    if opcode in OPERATIONS:
        return [f"v{name} = (v{names[0]} {OPERATIONS[opcode]} v{names[1]}) & 0xFFFFFFFF"]
    if opcode == "Upsilon":
        return [f"u{names[1]} = v{names[0]}"]
    if opcode == "Phi":
        return [f"v{name} = u{name}"]
    if opcode == "Jump":
        return [f"block = {names[0]}", "continue"]
    if opcode == "Branch":
        return [f"block = {names[1]} if v{names[0]} & 0xFFFFFFFF else {names[2]}", "continue"]
    if opcode == "Return":
        return [f"return v{names[0]} & 0xFFFFFFFF" if operands else "return None"]
    raise Declined(f"no opcode {opcode}")


def compile(program):
    """A function of the arguments' bits."""
    lines = [line for line in program.splitlines() if line.strip() and not line.startswith((";", "touchstone", "heap"))]
    if sum(line.startswith("proc ") for line in lines) != 1:
        raise Declined("more than one procedure")
    parameters = re.findall(r"(\w+) @(\d+)", lines[0])
    if any(kind != "Int32" for kind, _ in parameters):
        raise Declined("a parameter that is no Int32")
    code = [f"def run({', '.join(f'v{name}' for _, name in parameters)}):", " block = ENTRY", " while True:"]
    for line in lines[1:]:
        if line.startswith("#"):
            number = re.match(r"#(\d+)", line).group(1)
            code[1] = code[1].replace("ENTRY", number)
            code.append(f"  if block == {number}:")
        else:
            code += [f"   {text}" for text in statement(line)]
    scope = {}
    exec("\n".join(code), scope)
    return scope["run"]


def answer(program):
    try:
        run = compile(program["text"])
    except Declined as reason:
        return {"declined": str(reason)}
    results = [run(*[int(bits, 16) for bits in given["args"]]) for given in program["inputs"]]
    return {"runs": [{"result": None if bits is None else f"0x{bits:08x}"} for bits in results]}


print(json.dumps({"touchstone": 1, "name": "integers", "format": "text", "batch": 16, "supports": SUPPORTS}), flush=True)
for line in sys.stdin:
    print(json.dumps({"answers": [answer(program) for program in json.loads(line)["programs"]]}), flush=True)
