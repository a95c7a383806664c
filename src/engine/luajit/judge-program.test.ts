// Judges the traces of small Lua programs in a real LuaJIT, and of LuaJIT's known bugs.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "ava";
import type { RecordedTrace } from "../../import/luajit/recorded-trace.js";
import { judgeTraces } from "../../phases/luajit-phases.js";
import { projectRoot } from "../../support/project-root.js";
import { engineTest } from "../engine-test.js";
import { causesOf, hasWrongIr, judgeLuaProgram } from "./judge-program.js";
import { LuajitError, type RecordOptions, TraceRecording } from "./record-traces.js";

const folder = mkdtempSync(join(tmpdir(), "touchstone-traces-test-"));
test.after.always(() => rmSync(folder, { recursive: true }));

const OPTIONS: RecordOptions = {
  ...{ command: ["luajit"], flags: ["-Ohotloop=1", "-Ohotexit=1"], states: 40, ticks: 1500 },
  ...{ timeMs: 60_000, input: Buffer.alloc(0) },
};

function written(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

const NUMBERS = `local x, y = 0.5, 0
for i = 1, 60 do
  x = x * 3.5 * (1 - x)
  y = y + i % 7 - math.floor(x * 10)
  if y > 40 then y = y - 100 end
end
print(x, y)
`;
const PROGRAMS: Readonly<Record<string, string>> = {
  numbers: NUMBERS,
  bits: `local bit, h = require("bit"), 7
for i = 1, 60 do h = bit.bxor(bit.rol(h, 5), bit.lshift(i, 3), bit.arshift(h, 2)) end
print(h)
`,
  tables: `local t, u, s = {}, { n = 0 }, 0
for i = 1, 60 do t[i] = i * 2 end
for i = 1, #t do s = s + t[i]; u.n = u.n + s % 3; u["k" .. i % 3] = i end
print(s, u.n)
`,
  strings: `local words, less = { "one", "two", "three" }, 0
for i = 1, 60 do if words[i % 3 + 1] < words[(i + 1) % 3 + 1] then less = less + #words[i % 3 + 1] end end
print(less)
`,
  closures: `local n = 0
local function add(k) n = n + k end
local function fib(k) if k < 2 then return k end return fib(k - 1) + fib(k - 2) end
for i = 1, 60 do add(i) end
print(n, fib(12))
`,
  wide: `local x = 1LL
for i = 1, 60 do x = x * 6364136223846793005LL + i; if x < 0 then x = -x end end
print(x, x / 7, x % 10)
`,
};

const WHOLE_MIN = 3;
for (const [name, text] of Object.entries(PROGRAMS)) {
  engineTest(test, "luajit", `traces of a program with ${name} are right`, async (t) => {
    const { traces, error } = judgeLuaProgram(written(`${name}.lua`, text), OPTIONS);
    t.is(error, null);
    for (const { wrong, refused } of traces)
      t.deepEqual([wrong?.difference, refused], [undefined, null]);
    const whole = traces.filter(({ cut }) => cut === null);
    t.true(whole.length * WHOLE_MIN >= traces.length * (WHOLE_MIN - 1), `${whole.length}`);
    t.true(whole.some(({ equal }) => equal > 0));
    // The first exit of machine code may be in another trace.
    if (name === "bits") t.true(traces.some(({ machine }) => machine > 0));
  });
}

const known = (name: string): string => join(projectRoot(), "corpus/known/engines", name);

engineTest(test, "luajit", "wrong IR is named by the optimization", async (t) => {
  const { traces } = judgeLuaProgram(known("luajit-narrowing.lua"), OPTIONS);
  t.true(traces.some(hasWrongIr));
  t.true(causesOf(known("luajit-narrowing.lua"), OPTIONS).includes("narrow"));
});

for (const name of ["luajit-cse-types.lua", "luajit-shift-folds.lua"]) {
  engineTest(test, "luajit", `${name}: the IR is wrong`, async (t) => {
    t.true(judgeLuaProgram(known(name), OPTIONS).traces.some(hasWrongIr));
    const flags = [...OPTIONS.flags, "-O-cse"];
    t.false(judgeLuaProgram(known(name), { ...OPTIONS, flags }).traces.some(hasWrongIr));
  });
}

engineTest(test, "luajit", "wrong machine code is distinguished from wrong IR", async (t) => {
  const { traces } = judgeLuaProgram(known("luajit-u64-to-double.lua"), OPTIONS);
  const found = traces.flatMap(({ wrong }) => wrong ?? []);
  t.deepEqual(
    found.map(({ isMachineCode }) => isMachineCode),
    [true],
  );
  t.regex(
    found[0].difference,
    /^exit \d+: slot \d+ is 9223372036854776000, and 9223372036854778000 in the IR$/,
  );
});

/** Changes the first instruction of that opcode and type after the loop's head. */
function changed(trace: RecordedTrace, from: string, to: string): RecordedTrace {
  const loop = trace.instructions.findIndex(({ opcode }) => opcode === "LOOP");
  const at = trace.instructions.findIndex(({ opcode }, i) => i > loop && opcode === from);
  const instructions = trace.instructions.map((each, i) =>
    i === at ? { ...each, opcode: to } : each,
  );
  return { ...trace, instructions };
}

engineTest(test, "luajit", "a changed instruction of a trace is found", async (t) => {
  const recording = new TraceRecording(written("changed.lua", NUMBERS), OPTIONS);
  try {
    const { ticks, exit, memory, memories, recorded } = recording;
    const judge = (change: (trace: RecordedTrace) => RecordedTrace): number => {
      const traces = recorded.traces.map(change);
      const files: Parameters<typeof judgeTraces>[0] = {
        ticks,
        exit,
        memory,
        memories,
        recorded: { ...recorded, traces },
      };
      return judgeTraces(files).filter(hasWrongIr).length;
    };
    t.is(
      judge((trace) => trace),
      0,
    );
    for (const [from, to] of [
      ["MUL", "ADD"],
      ["SUB", "ADD"],
      ["LE", "LT"],
    ])
      t.true(judge((trace) => changed(trace, from, to)) > 0, `${from} as ${to}`);
  } finally {
    recording.close();
  }
});

engineTest(test, "luajit", "a program that fails or does not end is judged so far", async (t) => {
  const failing = written(
    "failing.lua",
    "local n = 0 for i = 1, 60 do n = n + i end error('no')\n",
  );
  const failed = judgeLuaProgram(failing, OPTIONS);
  t.regex(failed.error ?? "", /failing\.lua:1: no$/);
  t.true(failed.traces.some(({ equal }) => equal > 0));
  const endless = written("endless.lua", "local n = 0 while true do n = n + 1 end\n");
  const stopped = judgeLuaProgram(endless, { ...OPTIONS, timeMs: 2000 });
  t.is(stopped.error, "it ended too early");
});

engineTest(test, "luajit", "a malformed program is an error of one line", async (t) => {
  const path = written("malformed.lua", "local x = = 1\n");
  const error = t.throws(() => judgeLuaProgram(path, OPTIONS), { instanceOf: LuajitError });
  t.regex(error?.message ?? "", /malformed\.lua:1: unexpected symbol near '='$/);
});

test("a missing LuaJIT is an error that names the package", (t) => {
  const path = written("any.lua", "print(1)\n");
  const command = [join(folder, "no-luajit")];
  const error = t.throws(() => judgeLuaProgram(path, { ...OPTIONS, command }), {
    instanceOf: LuajitError,
  });
  t.true(error?.isMissing);
  t.regex(error?.message ?? "", /apt-get install luajit$/);
});
