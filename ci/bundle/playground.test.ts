import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { createContext, runInContext } from "node:vm";
import test from "ava";
import { projectRoot } from "../../src/support/project-root.js";

const { playgroundScripts } = await import(
  pathToFileURL(join(projectRoot(), "ci", "bundle", "playground.mjs")).href
);

test("the scripts of the playground have no part of Node", async (t) => {
  const { scripts }: { readonly scripts: Readonly<Record<string, string>> } =
    await playgroundScripts();
  t.deepEqual(Object.keys(scripts).sort(), ["playground-page.js", "playground-worker.js"]);
  const { "playground-worker.js": worker } = scripts;
  // A context has the language alone: a global of Node would be a ReferenceError.
  const replies: unknown[] = [];
  const self = {
    onmessage: (_: unknown) => {},
    postMessage: (reply: unknown) => replies.push(reply),
  };
  // The last timer that is set, as no clock runs.
  let timer: (() => void) | null = null;
  const timers = {
    setTimeout: (act: () => void) => {
      timer = act;
    },
    clearTimeout: () => {
      timer = null;
    },
  };
  const next = () => {
    const act = timer;
    timer = null;
    return act;
  };
  const globals = { self, ...timers, performance, TextEncoder, TextDecoder, structuredClone };
  runInContext(worker, createContext(globals));
  const text =
    "touchstone 1\nproc f(Int32 @0) -> Int32\n#0:\n  Void @1 = Return(@0)\n; run: f(7) = 7\n";
  const shown = { target: "arm64", level: "O2", allocator: "colouring" };
  const requests = [
    { kind: "warm-up" },
    { kind: "judge", text, canary: "float-rule" },
    { kind: "compile", text, canary: null, shown },
    { kind: "draw", profile: "usual", seed: "1" },
  ];
  for (const request of requests) self.onmessage({ data: { id: 1, request } });
  const kinds = JSON.parse(JSON.stringify(replies)).map(
    ({ reply }: { reply: { kind: string; message?: string } | null }) =>
      reply?.message ?? reply?.kind ?? null,
  );
  t.deepEqual(kinds, [null, "judged", null, "compiled", null, "drawn", null]);
  // At rest the worker judges programs, step by step.
  let steps = 0;
  for (let act = next(); act !== null; act = next()) {
    act();
    steps++;
  }
  t.true(steps > 10, `${steps} steps`);
  self.onmessage({ data: { id: 1, request: requests[1] } });
  t.is(next(), null, "it warms up once");
});

test("planted: a module of Node without a stand-in is an error that names it", async (t) => {
  const error = await t.throwsAsync(playgroundScripts({}));
  const lines = (error?.message ?? "").split("\n");
  t.true(lines.includes("src/compare/interpreters.js imports node:util, which no browser has"));
  t.true(lines.includes("src/generate/rule-patterns.js imports node:fs, which no browser has"));
});
