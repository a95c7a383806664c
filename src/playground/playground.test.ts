import { readFileSync } from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual as isDeepStrictEqualOfNode } from "node:util";
import { deflateRawSync } from "node:zlib";
import test from "ava";
import { canaryNamed } from "../campaign/canary/canaries.js";
import { Judge } from "../compare/judge-program.js";
import { exportWasm } from "../export/wasm/export-wasm.js";
import { parseModule } from "../ir/text/parse.js";
import { Int32 } from "../ir/types.js";
import { LINK_VERSION, type PageState } from "../report/page-state.js";
import { projectRoot } from "../support/project-root.js";
import { trials } from "../support/trials.js";
import { answer } from "./answer.js";
import { breakModule } from "./break-module.js";
import { browserSubject } from "./browser-subject.js";
import { EXAMPLE_FILES, FINDING } from "./examples.js";
import { PAGE_OPTIONS } from "./judge-text.js";
import { linkOf, stateOf } from "./link.js";
import { makePlayground } from "./make-page.js";
import { printNumber } from "./numbers.js";
import type {
  BrowserRow,
  JudgedProgram,
  RequestFault,
  WorkerReply,
  WorkerRequest,
} from "./protocol.js";
import { isDeepStrictEqual } from "./stand-ins/util.js";
import { PAGE_SIZE_MAX, playgroundPage } from "./write-page.js";

const SHOWN = { target: "x64", level: "O1", allocator: "one-pass" } as const;

function repliesTo(request: WorkerRequest): WorkerReply[] {
  const replies: WorkerReply[] = [];
  answer(request, (reply) => replies.push(reply));
  return replies;
}

/** Returns the only reply, of the given kind. */
function replyTo<K extends WorkerReply["kind"]>(
  request: WorkerRequest,
  kind: K,
): Extract<WorkerReply, { kind: K }> {
  const [reply, ...others] = repliesTo(request);
  if (others.length > 0 || !isOf(reply, kind)) throw new Error(JSON.stringify([reply, ...others]));
  return reply;
}

const isOf = <K extends WorkerReply["kind"]>(
  reply: WorkerReply,
  kind: K,
): reply is Extract<WorkerReply, { kind: K }> => reply.kind === kind;

const judge = (text: string, canary: string | null): JudgedProgram =>
  replyTo({ kind: "judge", text, canary }, "judged");

const fault = (request: WorkerRequest): RequestFault => replyTo(request, "fault");

/** Returns the number of compilations with a difference, by target. */
const differing = ({ cells }: JudgedProgram, target: string): number =>
  cells.filter(
    (cell) => cell.target === target && cell.verdicts.some(({ kind }) => kind === "different"),
  ).length;

// --- the worker's answers ---

test("a parse error has a place", (t) => {
  const text = FINDING.text.replace("Add(@0, @1)", "Add(@0, @7)");
  const { place, message } = fault({ kind: "judge", text, canary: null });
  t.deepEqual(place?.line, 10);
  t.true(message.includes("@7"), message);
});

test("the finding of the README differs with its bug, and not without", (t) => {
  const whole = judge(FINDING.text, null);
  t.deepEqual(
    whole.runs.map(({ line, input, outcome, failure }) => ({ line, input, outcome, failure })),
    [
      { line: 13, input: "f(1.5)", outcome: "1.5", failure: "" },
      { line: 14, input: "f(-0.0)", outcome: "0.0", failure: "" },
    ],
  );
  t.is(whole.cells.length, 18);
  for (const { verdicts, error } of whole.cells) {
    t.is(error, null);
    t.deepEqual(
      verdicts.map(({ kind }) => kind),
      ["equal", "equal"],
    );
  }
  const planted = judge(FINDING.text, FINDING.canary);
  for (const { target, level, verdicts } of planted.cells) {
    const last = level === "O0" ? "equal" : "different";
    t.deepEqual(
      verdicts.map(({ kind }) => kind),
      ["equal", last],
      `${target} ${level}`,
    );
  }
  t.deepEqual(
    [...new Set(planted.cells.map(({ target, by }) => `${target}: ${by}`))],
    ["x64: LIR interpreter", "arm64: AArch64 simulator"],
  );
});

test("a bug of the encoder shows in the simulator alone", (t) => {
  const text = `touchstone 1
proc f(Int32 @0) -> Int32
#0:
  Int32 @1 = Const32(4660)
  Int32 @2 = Add(@0, @1)
  Void @3 = Return(@2)
; run: f(1) = 4661
`;
  const judged = judge(text, "immediate-range");
  t.is(differing(judged, "arm64"), 9);
  t.is(differing(judged, "x64"), 0);
});

test("an error of the allocation checker is shown with its compilations", (t) => {
  const { text } = replyTo({ kind: "draw", profile: "usual", seed: "1" }, "drawn");
  const { cells } = judge(text, "kept-by-calls-checked");
  for (const { error, verdicts } of cells) {
    t.truthy(error);
    t.deepEqual(verdicts, []);
  }
});

test("an endless program ends, and is unjudged", (t) => {
  const text =
    "touchstone 1\nproc f() -> Void\n#0:\n  Void @0 = Jump(#1)\n#1:\n  Void @1 = Jump(#1)\n; run: f()\n";
  const reply = repliesTo({ kind: "judge", text, canary: null })[0];
  if (reply.kind === "fault") return t.fail(reply.message);
  if (reply.kind !== "judged") return t.fail(reply.kind);
  t.is(reply.runs[0].outcome, "out-of-fuel");
  for (const { verdicts } of reply.cells) t.is(verdicts[0].kind, "unjudged");
});

test("the subjects of a judge share their simulator", (t) => {
  const before = process.memoryUsage().arrayBuffers;
  const held = new Judge(PAGE_OPTIONS);
  const megabytes = (process.memoryUsage().arrayBuffers - before) / 1e6;
  held.close();
  t.true(megabytes < 80, `${megabytes} MB`); // nine simulators take 171 MB
});

test("an outcome shows the bits of its floats, and a difference those of its values", (t) => {
  const text = `touchstone 1
proc f(Double @0) -> Double
#0:
  Void @1 = Return(@0)
; run: f(-0.0)
; run: f(nan:0x7ff8000000000000)
`;
  const { runs } = judge(text, null);
  t.deepEqual(
    runs.map(({ floats }) => floats),
    [["-0.0 (0x8000000000000000)"], []],
  );
  const number = { type: Int32, lo: -2, hi: 0, anyNaN: false };
  t.is(printNumber(number), "-2 (0xfffffffe)");
});

test("requests that name nothing have an answer", (t) => {
  const { text } = FINDING;
  const none = text.replaceAll("; run:", "; ran:");
  t.regex(fault({ kind: "judge", text: none, canary: null }).message, /nothing to run: add a line/);
  t.regex(fault({ kind: "judge", text, canary: "x" }).message, /no planted bug is named x/);
  t.regex(fault({ kind: "draw", profile: "x", seed: "1" }).message, /no profile is named x/);
  t.regex(
    fault({ kind: "draw", profile: "usual", seed: "-1" }).message,
    /expected a decimal number/,
  );
  t.regex(fault({ kind: "reduce", text, canary: null }).message, /nothing differs/);
});

test("a compilation shows its phases, LIR, code and exits", (t) => {
  const text = readFileSync(
    join(projectRoot(), EXAMPLE_FILES["Construct: a guard with its exit"]),
    "utf8",
  );
  for (const target of ["x64", "arm64"] as const) {
    const shown = { ...SHOWN, target };
    const forms = replyTo({ kind: "compile", text, canary: null, shown }, "compiled");
    t.is(forms.error, null);
    const [{ text: lir, values }] = forms.lir;
    t.true(lir.includes(`lir ${target} f allocated`), lir);
    t.is(values["v0"], "@0");
    t.regex(forms.listing, /^\.L\d+:$/m);
    t.regex(forms.listing, /of @0 in/);
    t.regex(forms.bytes, /^0000 {2}[0-9a-f]{2}/);
    t.regex(forms.exits, /^exit 0: procedure 0/);
    const [{ svg }] = forms.intervals;
    const places = [...(svg ?? "").matchAll(/<title>(v\d+ @\d+) in ([^<]+)<\/title>/g)];
    const [, entry] = /v0<.>:(\w+)/.exec(lir) ?? [];
    t.is(places[0][2], entry, "the first value stays in its register");
    // Each definition in the text is in the picture.
    const defined = lir.match(/^ +\d+: v\d+<.>:[A-Z]@\w+ = .*$/gm) ?? [];
    t.true(defined.length > 0);
    for (const line of defined) {
      const [, vreg, place] = /: (v\d+)<.>:[A-Z]@(\w+) = /.exec(line) ?? [];
      const of = places.filter(([, name]) => name.startsWith(`${vreg} `));
      t.true(of.length === 0 || of.some(([, , where]) => where === place), line);
    }
  }
  const { canary } = FINDING;
  const planted = replyTo(
    { kind: "compile", text: FINDING.text, canary, shown: SHOWN },
    "compiled",
  );
  const phase = planted.phases.find(({ phase }) => phase === "reduce-strength");
  t.true(phase?.rules.some((rule) => /^1 × [a-z-]+$/.test(rule)));
  t.true(phase?.lines.some((line) => "sign" in line && line.sign === "-"));
});

test("every example is judged without a difference", (t) => {
  for (const [title, file] of Object.entries(EXAMPLE_FILES)) {
    const { runs, cells } = judge(readFileSync(join(projectRoot(), file), "utf8"), null);
    t.true(
      runs.every(({ failure }) => failure === null || failure === ""),
      title,
    );
    for (const { verdicts, error } of cells) {
      t.is(error, null, title);
      t.true(
        verdicts.every(({ kind }) => kind !== "different"),
        title,
      );
    }
  }
});

test("every profile draws programs that the page judges", (t) => {
  const { profiles, canaries } = replyTo({ kind: "lists" }, "lists");
  t.true(profiles.length > 5);
  const offered = canaries.map(({ name }) => name);
  t.true(["float-rule", "immediate-range"].every((name) => offered.includes(name)));
  // No row has machine code of x86-64, or values in halves.
  const unshown = ["encoding-width", "guard-ignored", "upper-half", "continuation-code"];
  for (const name of [...unshown, "cut-across", "exchanged-halves"]) {
    t.false(offered.includes(name), name);
    t.not(canaryNamed(name), null, name);
  }
  // All profiles are drawn; a judgement costs a second.
  const stride = trials(5, 1);
  for (const [p, { name: profile, says }] of profiles.entries()) {
    t.not(says, "", `${profile} has no description`);
    const { text } = replyTo({ kind: "draw", profile, seed: "3" }, "drawn");
    if (p % stride !== 0) continue;
    const { cells } = judge(text, null);
    for (const { error, verdicts } of cells) {
      t.is(error, null, profile);
      t.true(
        verdicts.every(({ kind }) => kind !== "different"),
        profile,
      );
    }
  }
});

test("a reduction yields smaller programs, and ends with one that still differs", (t) => {
  const text = FINDING.text.replace(
    "  Float @1 =",
    "  Float @4 = Mul(@0, @0)\n  Float @5 = Sub(@4, @4)\n  Float @1 =",
  );
  const replies = repliesTo({ kind: "reduce", text, canary: "float-rule" });
  const last = replies.at(-1);
  if (last?.kind !== "reduced") return t.fail(JSON.stringify(last));
  t.true(last.isComplete);
  t.true(replies.length > 1);
  t.true(replies.slice(0, -1).every((reply) => reply.kind === "reduced" && !reply.isComplete));
  t.true(last.text.length < text.length);
  t.true(differing(judge(last.text, "float-rule"), "x64") > 0);
});

// --- the engine of the browser, here that of Node ---

const runs = { profile: "usual", rounds: 2 };

test("programs in a right engine are equal; a broken module is found and reduced", (t) => {
  const right = repliesTo({ kind: "fuzz", ...runs, isBroken: false, first: "1", count: 5 });
  const programs = right.filter((reply) => isOf(reply, "fuzzed"));
  t.deepEqual(
    programs.map(({ seed }) => seed),
    ["1", "2", "3", "4", "5"],
  );
  t.true(programs.every(({ difference }) => difference === null));
  t.true(programs.reduce((sum, { equal }) => sum + equal, 0) > 5);
  const [wrong] = repliesTo({ kind: "fuzz", ...runs, isBroken: true, first: "2", count: 1 });
  t.true(isOf(wrong, "fuzzed") && wrong.difference !== null);
  const { replies, last } = reduceBroken(null, []);
  if (last?.kind !== "reduced-found") return t.fail(JSON.stringify(last));
  t.true(last.isComplete);
  t.true(last.difference.values <= 10, last.difference.text);
  t.deepEqual(differing(judge(last.difference.text, null), "x64"), 0);
  // A page stops a worker whose candidate hangs; another one continues.
  const smaller = replies.find((reply) => isOf(reply, "reduced-found"));
  const text = smaller?.difference.text ?? "";
  const [hung] = triedIn(reduceBroken(text, []).replies);
  const again = reduceBroken(text, [hung]);
  t.false(triedIn(again.replies).includes(hung), "it hangs again");
  if (again.last?.kind !== "reduced-found") return t.fail(JSON.stringify(again.last));
  t.true(again.last.isComplete);
  t.true(again.last.difference.values <= 10, again.last.difference.text);
});

const triedIn = (replies: readonly WorkerReply[]): string[] =>
  replies.flatMap((reply) => (isOf(reply, "tried") ? [reply.candidate] : []));

function reduceBroken(text: string | null, rejected: readonly string[]) {
  const from = { kind: "reduce-found", isBroken: true, seed: "2" } as const;
  const replies = repliesTo({ ...runs, ...from, text, rejected });
  return { replies, last: replies.at(-1) };
}

test("an exported program is not exported again", (t) => {
  const [seven, nine] = ["7", "9"].map((number) =>
    parseModule(
      `touchstone 1\nproc f() -> Int32\n#0:\n  Int32 @0 = Const32(${number})\n  Void @1 = Return(@0)\n`,
    ),
  );
  const subject = browserSubject({ rounds: 1, isBroken: false }, exportWasm(nine).bytes);
  const judge = new Judge({ subjects: [subject], fuelMax: 100 });
  const inputs = [{ words: new Int32Array(0), heapSeed: 0 }];
  const [{ judgements }] = judge.judge({ module: seven, inputs }).results;
  judge.close();
  t.is(judgements[0].verdict.kind, "different");
});

test("an unjudged execution has its reason", (t) => {
  const text =
    "touchstone 1\nproc f(Int32 @0) -> Int32\n#0:\n  Int32 @1 = Div(@0, @0)\n  Void @2 = Return(@1)\n; run: f(0)\n; run: f(1)\n";
  const { rows } = replyTo({ kind: "judge-browser", text, calls: 1, isBroken: false }, "browser");
  for (const { verdicts } of [...judge(text, null).cells, ...rows]) {
    t.deepEqual(verdicts, [
      { kind: "unjudged", detail: "undefined behavior" },
      { kind: "equal", detail: "" },
    ]);
  }
});

test("a program is judged in the engine: its first call, and its last one", (t) => {
  const judged = (text: string, calls: number, isBroken: boolean) =>
    replyTo({ kind: "judge-browser", text, calls, isBroken }, "browser").rows;
  const kinds = ({ calls, verdicts }: BrowserRow) => [calls, ...verdicts.map(({ kind }) => kind)];
  t.deepEqual(judged(FINDING.text, 100, false).map(kinds), [
    [1, "equal", "equal"],
    [100, "equal", "equal"],
  ]);
  const wrong = judged(FINDING.text, 1, true);
  t.deepEqual(wrong.map(kinds), [[1, "equal", "different"]]);
  t.regex(wrong[0].verdicts[1].detail, /expected 0\.0 \(0x00000000\), got -0\.0 \(0x80000000\)/);
  // Engines refuse a function of more than 50,000 locals.
  const half = 51_000;
  const values = Array.from({ length: 2 * half }, (_, i) => {
    const [opcode, other] = i < half ? ["Mul", 0] : ["Add", i + 1 - half];
    return `  Int32 @${i + 1} = ${opcode}(@${i}, @${other})\n`;
  });
  const end = `  Void @${2 * half + 1} = Return(@${2 * half})\n; run: f(3)\n`;
  const large = `touchstone 1\nproc f(Int32 @0) -> Int32\n#0:\n${values.join("")}${end}`;
  const [refused] = judged(large, 1, false);
  t.deepEqual(refused.verdicts, []);
  t.regex(refused.error ?? "", /^the engine refuses the module: CompileError: .*local count/);
});

test("a broken module differs in one byte, and is valid", (t) => {
  const text =
    "touchstone 1\nproc f(Int32 @0) -> Int32\n#0:\n  Int32 @1 = Mul(@0, @0)\n  Void @2 = Return(@1)\n";
  const { bytes } = exportWasm(parseModule(text));
  const broken = breakModule(bytes);
  if (broken === null) return t.fail("no instruction is replaced");
  t.is(bytes.filter((byte, i) => byte !== broken[i]).length, 1);
  t.true(WebAssembly.validate(broken.slice()));
});

// --- links ---

const STATE: PageState = {
  text: `${FINDING.text}; <b>ä\u202e\n`,
  canary: "float-rule",
  shown: SHOWN,
  found: { subject: "x64-O1", runs: [{ input: "f(1)", expected: "1", got: "<2>" }] },
  calls: 10_000,
};

test("a link contains the whole state", async (t) => {
  const link = await linkOf(STATE);
  t.regex(link, /^v1\.[A-Za-z0-9_-]+$/);
  t.deepEqual(await stateOf(link), STATE);
});

test("a damaged, foreign or newer link is refused in words", async (t) => {
  const refused = (link: string, message: RegExp) =>
    t.throwsAsync(stateOf(link), { instanceOf: RangeError, message });
  const packed = (text: string) => `v${LINK_VERSION}.${deflateRawSync(text).toString("base64url")}`;
  await refused("section", /not one of this page/);
  await refused("v2.AAAA", /has version 2, and this page reads version 1/);
  await refused((await linkOf(STATE)).slice(0, -9), /damaged/);
  await refused(packed('{"text":1}'), /no program/);
  await refused(packed('{"text":"","canary":null,"target":"x"}'), /does not have/);
  await refused(
    packed(
      JSON.stringify({ text: "", canary: null, ...SHOWN, found: { subject: "x", runs: [1] } }),
    ),
    /no outcomes of its finding/,
  );
  await refused(
    packed(JSON.stringify({ text: "", canary: null, ...SHOWN, calls: 1e9 })),
    /requests 1000000000 calls; expected 1 to 100000/,
  );
  await refused(packed(`{"text":"${"x".repeat(5 << 20)}"}`), /damaged/);
});

// --- the page ---

test("the page is one file that loads nothing", (t) => {
  const page = makePlayground();
  if (page === null) return t.fail("the build has no bundle");
  t.true(Buffer.byteLength(page) <= PAGE_SIZE_MAX, `${Buffer.byteLength(page)} bytes`);
  const [, policy = ""] = /http-equiv="Content-Security-Policy" content="([^"]*)"/.exec(page) ?? [];
  t.regex(
    policy,
    /^default-src 'none'; script-src 'sha256-[^ ;]+' 'wasm-unsafe-eval'; style-src 'sha256-[^ ;]+'; worker-src blob:;/,
  );
  t.false(/unsafe|https?:/.test(policy.replace(" 'wasm-unsafe-eval'", "")));
  t.false(/ (src|href)="(?!data:,")/.test(page.replace(/<script[\s\S]*?<\/script>/g, "")));
});

test("no example and no script ends its element", (t) => {
  const text = "</script><script>alert(1)</script><!--<script>";
  const page = playgroundPage({
    pageScript: 'x("</script><!--")',
    workerScript: text,
    seconds: 10,
    examples: [{ title: text, text, canary: null }],
  });
  t.is(page.match(/<\/script/g)?.length, 2);
  t.is(page.match(/<script/g)?.length, 2);
  t.false(page.includes("<!--"));
  const [, data] = /id="data">(.*)<\/script>/.exec(page) ?? [];
  t.is(JSON.parse(data).examples[0].text, text);
});

test("the page compares outcomes as Node does", (t) => {
  const parts = [0, -0, Number.NaN, null, undefined, "0", [], [0], {}, { x: 0 }, { x: undefined }];
  const trees = [
    ...parts,
    Uint8Array.of(1, 2),
    Uint8Array.of(1, 3),
    Int32Array.of(1, 2),
    [[1], { y: [2] }],
  ];
  for (const one of trees) {
    for (const other of trees) {
      const copy = structuredClone(other);
      t.is(isDeepStrictEqual(one, copy), isDeepStrictEqualOfNode(one, copy));
    }
  }
});
