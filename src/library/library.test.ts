// Tests the entry of the package: every name is documented, and all steps from a seed to a report work.

import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "ava";
import { transformSync } from "esbuild";
import { projectRoot } from "../support/project-root.js";
import { trials } from "../support/trials.js";
import * as library from "./library.js";

const { compile, defineSubject, describe, generate, interpret, judge, parse, print } = library;

test("every name of the library is in its document, and no other", (t) => {
  const document = readFileSync(join(projectRoot(), "docs", "library.md"), "utf8");
  const source = readFileSync(join(projectRoot(), "src", "library", "library.ts"), "utf8");
  const exported = [
    ...source.matchAll(/^export (?:async )?(?:const|function|interface|type) (\w+)/gm),
  ];
  const told = [...document.matchAll(/^\| `(\w+)/gm)].map(([, name]) => name);
  t.deepEqual(told.toSorted(), exported.map(([, name]) => name).toSorted());
  // Each has a comment before it, which editors show.
  for (const [line, name] of exported) {
    t.regex(source.slice(0, source.indexOf(line)), /\*\/\n$/, `${name} has no comment`);
  }
});

test("a program of a seed is text, and the text is the program", (t) => {
  for (const seed of [-1, 1.5, Number.NaN, 1n << 64n])
    t.throws(() => generate(seed), {
      message: /^seed .*: expected an integer of 64 bits, from 0$/,
    });
  t.throws(() => generate(7, "smal"), { message: "profile smal: there is no such profile" });
  const program = generate(7);
  const text = print(program);
  t.is(print(parse(text)), text);
  t.deepEqual(interpret(program).map(describe), interpret(parse(text)).map(describe));
  t.throws(() => parse("touchstone 1\nproc"), { message: /^2:\d+: expected/ });
});

const SUM = parse(`touchstone 1
proc main(Int32 @0) -> Int32
#0:
  Int32 @1 = Const32(5)
  Int32 @2 = Mul(@0, @1)
  Int32 @3 = BitXor(@2, @0)
  Void @4 = Return(@3)
; run: main(9)
; run: main(-1)
`);

test("the reference compiler shows its code", (t) => {
  const ours = library.subject("x64-O2");
  if (ours === null) return t.fail("no such subject");
  const { optimized, assembly } = compile(SUM, ours);
  t.regex(optimized ?? "", /proc main/);
  t.regex(assembly ?? "", /imul|lea/);
  t.deepEqual(library.localize(SUM, ours), [], "nothing differs");
  const other = defineSubject({ name: "other", run: () => 0n });
  t.deepEqual(compile(SUM, other), { optimized: null, assembly: null });
  t.deepEqual(library.localize(SUM, other), []);
});

test("a program is built by typed methods", async (t) => {
  const { HEAP_BASE, Int32: I } = library.BUILDER_CONSTANTS;
  const [lo, hi] = [Number(BigInt.asIntN(32, HEAP_BASE)), Number(HEAP_BASE >> 32n)];
  const program = library.build(
    ({ procedure }) => {
      const { emit, parameters } = procedure("main", ["Int32", "Int32"], "Int32");
      const heap = emit.Const64([lo, hi]);
      emit.Store(parameters[0], heap, 8);
      const sum = emit.Patchpoint("addPair", [emit.Load(I, heap, 8), parameters[1]]);
      emit.Return(sum);
    },
    [{ args: [7n, -9n] }, { args: [0x7fffffffn, 1n], heapSeed: 5 }],
  );
  t.is(print(parse(print(program))), print(program));
  t.regex(describe(interpret(program)[0]), /^-2$/);
  const ours = library.subject("arm64-O2");
  if (ours === null) return t.fail("no such subject");
  t.true((await judge(program, [ours])).every(({ verdict }) => verdict === "equal"));
});

// A kind is defined before the modules of the library are loaded, so each test of one has a process of its own.
const runModule = (text: string): { status: number | null; text: string } => {
  const folder = mkdtempSync(join(projectRoot(), "build", "kinds-"));
  try {
    writeFileSync(join(folder, "main.mjs"), text);
    const ran = spawnSync(process.execPath, [join(folder, "main.mjs")], { encoding: "utf8" });
    return { status: ran.status, text: `${ran.stdout}${ran.stderr}` };
  } finally {
    rmSync(folder, { recursive: true });
  }
};

const KINDS = readFileSync(join(projectRoot(), "docs", "examples", "kinds.mjs"), "utf8");
/** Judges seeds, and prints how many executions of programs with the kind are equal, and differences. */
const JUDGE_KIND = `
const { generate, judge, print, subject, toC } = await import("touchstone");
const subjects = ["x64-O2", "arm64-O1", "x64-O2-lir", "v8-turbofan"].map(subject).filter((one) => one !== null);
const counts = {};
let programs = 0;
for (let seed = 1; programs < 12 && seed < 3000; seed++) {
  const program = generate(seed, "patchpoints");
  if (!print(program).includes("scaledSum")) continue;
  programs++;
  for (const { verdict } of await judge(program, subjects)) counts[verdict] = (counts[verdict] ?? 0) + 1;
}
console.log(JSON.stringify({ programs, subjects: subjects.length, ...counts }));
`;

test("a kind of a user is drawn, compiled for each target, and exported", (t) => {
  const right = runModule(KINDS + JUDGE_KIND);
  t.is(right.status, 0, right.text);
  const { programs, different = 0, equal = 0 } = JSON.parse(right.text);
  t.is(programs, 12);
  t.is(different, 0);
  t.true(equal > 40);
  const wrong = runModule(KINDS.replace("shlqImm8, sum, 3", "shlqImm8, sum, 2") + JUDGE_KIND);
  t.is(wrong.status, 0, wrong.text);
  t.true(JSON.parse(wrong.text).different > 0);
});

test("a fault of a kind is described", (t) => {
  const late = runModule(`await import("touchstone");${KINDS}`);
  t.regex(
    late.text,
    /'scaledSum' comes too late; import the module that defines it before "touchstone"/,
  );
  const same = runModule(`${KINDS.replace("scaledSum", "addPair")}; await import("touchstone");`);
  t.regex(same.text, /definePatchpoint: another kind has the name 'addPair'/);
  const wrong = runModule(KINDS.replace("Int64 warm", "Int64 somewhere"));
  t.regex(
    wrong.text,
    /expected a type and a location in place of 'Int64 somewhere', as 'Int32 register'/,
  );
});

test("a fault of a built program is described", (t) => {
  const { build } = library;
  t.throws(() => build(() => {}, []), { message: /expected a procedure/ });
  const open = () => build(({ procedure }) => void procedure("f", [], "Int32"), []);
  t.throws(open, { instanceOf: TypeError, message: /^f: / });
  const returns = ({ procedure }: library.ModuleBuilder): void => {
    const { emit, parameters } = procedure("f", ["Int32"], "Int32");
    emit.Return(parameters[0]);
  };
  t.throws(() => build(returns, [{ args: [] }]), {
    message: "f takes 1 arguments, an input has 0",
  });
});

test("a value that is no subject is described", async (t) => {
  const program = generate(7n);
  // A script without types passes on what `subject` returns for an unknown name.
  const none = Reflect.apply(library.subject, null, ["x64-O9"]);
  const refused = (call: () => unknown, message: RegExp) =>
    t.throwsAsync(async () => await call(), { instanceOf: TypeError, message });
  const isNull = /: expected a subject, got null: subject\(NAME\) is null if no subject has that/;
  for (const [name, call, args] of [
    ["judge", judge, [program, [none]]],
    ["reduce", library.reduce, [program, none]],
    ["localize", library.localize, [program, none]],
    ["report", library.report, [program, none, "/nowhere"]],
  ] as const) {
    await refused(() => Reflect.apply(call, null, args), isNull);
    await refused(() => Reflect.apply(call, null, args), new RegExp(`^${name}: `));
  }
  await refused(() => Reflect.apply(judge, null, [program, none]), /^judge: expected a list of/);
  await refused(() => Reflect.apply(judge, null, [program, ["x64-O1"]]), /got "x64-O1": /);
});

test("a user-defined subject is judged, reduced, and reported", async (t) => {
  const right = defineSubject({ name: "right", run: ({ args: [x] }) => (x * 5n) ^ x });
  const wrong = defineSubject({ name: "wrong", run: ({ args: [x] }) => x * 5n + x });
  const thrower = defineSubject({
    name: "thrower",
    run: () => {
      throw new TypeError("no registers left");
    },
  });
  const judged = await judge(SUM, [right, wrong, thrower]);
  t.deepEqual(
    judged.map(({ subject, verdict }) => `${subject} ${verdict}`),
    ["right equal", "right equal", "wrong different", "wrong different"].concat(
      Array(2).fill("thrower different"),
    ),
  );
  t.regex(judged[5].detail, /no registers left/);
  t.is(await library.reduce(SUM, right), null);
  const small = await library.reduce(SUM, thrower);
  t.true(print(small ?? SUM).length < print(SUM).length);
  const folder = mkdtempSync(join(tmpdir(), "touchstone-library-"));
  t.teardown(() => rmSync(folder, { recursive: true }));
  t.is(await library.report(SUM, right, folder), null);
  const path = await library.report(SUM, thrower, folder);
  t.regex(
    readFileSync(join(path ?? "", "report.md"), "utf8"),
    /thrower\/TypeError: no registers left: ending/,
  );
});

test("the example in process has the library's types, and runs unchanged", (t) => {
  const root = projectRoot();
  const example = join(root, "docs", "examples", "in-process.ts");
  const tsc = join(root, "node_modules", "typescript", "bin", "tsc");
  const types = "--noEmit --ignoreConfig --strict --skipLibCheck --module nodenext --target es2022";
  const surroundings = ["--lib", "es2023,dom", "--types", "node"];
  const checked = spawnSync(
    process.execPath,
    [tsc, ...types.split(" "), ...surroundings, example],
    {
      cwd: root,
      encoding: "utf8",
    },
  );
  t.is(checked.stdout, "");
  t.is(checked.status, 0);
  const { code } = transformSync(readFileSync(example, "utf8"), { loader: "ts" });
  // Arguments after the text of `-e` are at the same indices as those of a script file.
  const said = execFileSync(
    process.execPath,
    ["--input-type=module", "-e", code, "file", String(trials(7, 2000))],
    {
      cwd: root,
      encoding: "utf8",
    },
  );
  t.regex(said, /^[1-9]\d* executions are equal\n$/);
});
