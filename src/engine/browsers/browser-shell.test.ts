// Tests the engines of browsers: they agree, a wrong driver and another compiler are found, and
// nothing remains of a browser whose shell ends, is killed, or loses its page.

import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import test, { type ExecutionContext } from "ava";
import { programOf } from "../../campaign/program/seeds.js";
import { childrenOf, statOf } from "../../support/process-stat.js";
import { trials } from "../../support/trials.js";
import { engineTest, type JudgedProgram, judged, programFrom } from "../engine-test.js";
import { observations } from "../engines.js";
import { WASM_DRIVER } from "../wasm-rows.js";
import { wasmSubject } from "../wasm-subject.js";
import { type BrowserName, browserShell, ofBrowser } from "./browsers.js";

const FIRST_SEED = 730_000n;
const SEEDS = trials(3, 200);
const seeds = (count: number): JudgedProgram[] =>
  Array.from({ length: count }, (_, s) => programOf(FIRST_SEED + BigInt(s)));

for (const name of [
  ...["v8-turbofan@chromium", "v8-liftoff@chromium"],
  ...["ion@firefox", "sm-baseline@firefox"],
]) {
  engineTest(test.serial, name, `${name} agrees`, async (t, engine) => {
    const { different, equal } = await judged(engine, seeds(SEEDS));
    t.deepEqual(different, []);
    t.true(equal > 3 * SEEDS, `only ${equal} executions`);
  });
}

const folder = mkdtempSync(join(tmpdir(), "touchstone-shell-"));
test.after.always(() => rmSync(folder, { recursive: true, force: true }));

function scriptOf(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

const WRONG_DRIVER = scriptOf(
  "wrong.js",
  readFileSync(WASM_DRIVER, "utf8").replace("x ^= x << 5;", "x ^= x << 6;"),
);

/** The flags of a compiler, and that of the row which requires another one. */
const COMPILERS = [
  {
    browser: "chromium",
    row: "v8-turbofan@chromium",
    is: "liftoff",
    not: "turbofan",
    flags: ["--allow-natives-syntax", "--no-wasm-lazy-compilation", "--liftoff-only"],
  },
  {
    browser: "firefox",
    row: "ion@firefox",
    is: "baseline",
    not: "optimized",
    flags: ["javascript.options.wasm_optimizingjit=false"],
  },
] as const;

for (const { browser, row, is, not, flags } of COMPILERS) {
  const subject = (tier: string, driver: string) =>
    wasmSubject({
      name: "changed",
      command: commandOf(browser, flags, driver),
      tier: { by: "answer", is: tier },
      missing: () => null,
    });

  engineTest(test.serial, row, `${browser}: code of another compiler is found`, async (t) => {
    const { different, equal } = await judged(subject(not, WASM_DRIVER), seeds(1));
    t.is(equal, 0);
    t.regex(different[0], new RegExp(`code of ${is} ran, expected that of ${not}`));
  });

  engineTest(test.serial, row, `${browser}: a wrong driver is found`, async (t) => {
    const { different } = await judged(subject(is, WRONG_DRIVER), seeds(8));
    t.true(different.length > 0);
    t.notRegex(different.join(), /code of/);
  });

  engineTest(test.serial, row, `${browser}: a script that throws ends it`, async (t) => {
    const { child, temporary, ended } = start(browser, 'throw new Error("no such thing")');
    const { status, errors } = await ended;
    t.is(status, 1);
    t.regex(errors, /no such thing/);
    await nothingRemains(t, [child.pid ?? 0], temporary);
  });

  engineTest(test.serial, row, `${browser}: lines, and the end of the input`, async (t) => {
    const { child, temporary, ended } = start(browser, "for (;;) print(readline() + '!')");
    child.stdin?.write("a\nß\n");
    child.stdin?.end();
    t.like(await ended, { status: 0, output: "a!\nß!\n" });
    await nothingRemains(t, [], temporary);
  });

  engineTest(test.serial, row, `${browser}: nothing remains of a killed shell`, async (t) => {
    const { child, temporary, ended } = start(browser, "print('started'); for (;;);");
    await Promise.race([new Promise((resolve) => child.stdout?.once("data", resolve)), ended]);
    const processes = treeOf(child.pid ?? 0);
    t.true(processes.length > 3);
    child.kill("SIGKILL");
    await ended;
    await nothingRemains(t, processes, temporary);
  });

  engineTest(test.serial, row, `${browser}: a page that dies ends the shell`, async (t) => {
    const { child, temporary, ended } = start(browser, "print('started'); for (;;);");
    await Promise.race([new Promise((resolve) => child.stdout?.once("data", resolve)), ended]);
    const processes = treeOf(child.pid ?? 0);
    for (const pid of processes) {
      const words = readFileSync(`/proc/${pid}/cmdline`, "utf8");
      if (/--type=renderer|-isForBrowser/.test(words)) process.kill(pid, "SIGKILL");
    }
    const { status, errors } = await ended;
    t.is(status, 1);
    t.regex(errors, /the page died/);
    await nothingRemains(t, processes, temporary);
  });
}

function commandOf(browser: BrowserName, flags: readonly string[], script: string) {
  const [path, ...args] = [...browserShell(browser), ofBrowser(browser).program, ...flags, script];
  return { path, args };
}

interface StartedShell {
  readonly child: ChildProcess;
  /** The folder of its temporary files. */
  readonly temporary: string;
  readonly ended: Promise<{
    readonly status: number | null;
    readonly output: string;
    readonly errors: string;
  }>;
}

let count = 0;

function start(browser: BrowserName, text: string): StartedShell {
  // Chromium has a socket there, whose path may have about 100 characters.
  const temporary = mkdtempSync(join(tmpdir(), "ts-"));
  const { path, args } = commandOf(browser, [], scriptOf(`script-${count++}.js`, text));
  const child = spawn(path, args, {
    env: { PATH: process.env["PATH"], TMPDIR: temporary },
    stdio: "pipe",
  });
  let [output, errors] = ["", ""];
  child.stdout.on("data", (text) => {
    output += text;
  });
  child.stderr.on("data", (text) => {
    errors += text;
  });
  const ended = new Promise<Awaited<StartedShell["ended"]>>((resolve) => {
    child.on("exit", (status) => resolve({ status, output, errors }));
  });
  return { child, temporary, ended };
}

/** Returns the process and all that its threads started. */
const treeOf = (pid: number): number[] => [
  pid,
  ...readdirSync(`/proc/${pid}/task`).flatMap((thread) => childrenOf(pid, thread).flatMap(treeOf)),
];

const ENDS_MS = 60_000;

async function nothingRemains(
  t: ExecutionContext,
  processes: readonly number[],
  temporary: string,
): Promise<void> {
  const isRunning = (pid: number): boolean =>
    !["Z", undefined].includes(statOf(`/proc/${pid}`)?.state);
  const remaining = (): string[] => [
    ...processes.filter(isRunning).map((pid) => `process ${pid}`),
    ...readdirSync(temporary),
  ];
  for (let ms = 0; ms < ENDS_MS && remaining().length > 0; ms += 200) await sleep(200);
  t.deepEqual(remaining(), []);
  rmSync(temporary, { recursive: true, force: true });
}

const RETURNS = programFrom(`touchstone 1
proc f(Int32 @0) -> Int32
#0:
  Int32 @1 = Add(@0, @0)
  Void @2 = Return(@1)

; run: f(21)
`);

for (const name of ["v8-turbofan@chromium", "ion@firefox", "v8-js-turbofan@chromium"]) {
  engineTest(test.serial, name, `${name}: a report runs in the browser`, async (t, engine) => {
    const { module, inputs } = RETURNS;
    const [input] = inputs;
    const { value: expected } = await observations(module, input).next();
    if (expected === undefined) return t.fail("V8 has no answer");
    const shown = {
      module,
      input,
      inputs,
      expected,
      open: new Uint8Array(expected.records.length),
    };
    const files = engine.reproducer(shown);
    const report = mkdtempSync(join(folder, "report-"));
    for (const [file, content] of Object.entries(files)) writeFileSync(join(report, file), content);
    const run = () => spawnSync("sh", [join(report, "reproduce.sh")], { encoding: "utf8" });
    t.like(run(), { status: 0, stdout: "right\n" });
    writeFileSync(join(report, "expected.txt"), "wrong\n");
    t.is(run().status, 1);
  });
}

test("a machine without browsers lacks their rows", (t) => {
  const engines = new URL("../engines.js", import.meta.url).href;
  const text = `import { engineNamed } from "${engines}";
    for (const name of ["ion@firefox", "v8-js-turbofan@chromium"]) console.log(engineNamed(name).missing());`;
  const { stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", text], {
    encoding: "utf8",
    env: { PATH: "/nowhere" },
  });
  t.is(
    stdout,
    "ion@firefox: there is no firefox-esr: apt-get install firefox-esr\n" +
      "v8-js-turbofan@chromium: there is no chromium: apt-get install chromium\n",
    stderr,
  );
});
