// Uses the page in real browsers, as a reader does.

import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { pathToFileURL } from "node:url";
import test, { type ExecutionContext } from "ava";
import { launch, type Page } from "puppeteer-core";
import { runHere } from "../../../fuzz/support/run-here.js";
import { projectRoot } from "../../support/project-root.js";
import { EXAMPLE_FILES, FINDING } from "../examples.js";
import { linkOf } from "../link.js";
import { makePlayground } from "../make-page.js";
import { browserTests, type TestPage } from "./browser-test.js";
import { fakeWorker, hangingCandidates, hangingEngine } from "./fake-worker.js";
import { PlaygroundPage, waitUntil } from "./playground-page.js";

/** A busy machine takes long for an answer. */
const LIMIT_SECONDS = 600;

const folder = mkdtempSync(join(tmpdir(), "touchstone-playground-"));
test.after.always(() => rmSync(folder, { recursive: true }));
const file = join(folder, "playground.html");
test.before("the page is written", (t) => {
  const page = makePlayground(LIMIT_SECONDS);
  if (page === null) return t.fail("the build has no bundle");
  writeFileSync(file, page);
});

const ADDRESS = pathToFileURL(file).href;
const browserTest = browserTests(test, launch);
const GUARD = readFileSync(
  join(projectRoot(), EXAMPLE_FILES["Construct: a guard with its exit"]),
  "utf8",
);
const MARKUP = "<img src=x onerror=\"document.title='run'\"><script>document.title='run'</script>";

browserTest("a typed fault has its place; without it the program runs again", async (t, open) => {
  const { page, errors } = await open(ADDRESS);
  const own = new PlaygroundPage(page);
  await own.done();
  t.deepEqual(await own.verdicts(), { equal: 6, different: 12, unjudged: 0, error: 0 });
  t.true((await own.view("outcomes")).includes("f(-0.0)"));
  t.regex(await own.view("verdicts"), /^18 compilations: 12 different\./);
  t.regex(await own.view("verdicts"), /expected 0\.0 \(0x00000000\), got -0\.0 \(0x80000000\)/);
  t.regex(await own.view("outcomes"), /1\.50x3fc00000/);
  t.not(await page.$eval("#examples", (list) => (list as HTMLSelectElement).value), "");
  const at = FINDING.text.indexOf("Add(@0, @1)") + "Add(@0, @".length;
  await own.putCursor(at);
  await page.keyboard.type("7");
  await own.done();
  const [fault] = await own.faults();
  t.regex(fault, /^line 10, column 22: @71 is not defined/);
  t.is(await page.$eval("#examples", (list) => (list as HTMLSelectElement).value), "");
  t.true((await own.inEditor(".cm-lintRange-error")) > 0);
  t.true((await page.$$("#verdicts.old")).length > 0, "old verdicts look current");
  t.regex(await own.view("old-note"), /has an error\. These are the results of the last correct/);
  await own.clickFault();
  t.is(await own.cursorLine(), 10);
  await own.putCursor(at);
  await page.keyboard.press("Delete");
  await own.done();
  t.deepEqual(await own.faults(), []);
  t.is(await own.view("old-note"), "");
  t.deepEqual(errors, []);
});

browserTest("the editor completes opcodes and values", async (t, open) => {
  const { page, errors } = await open(ADDRESS);
  const own = new PlaygroundPage(page);
  await own.done();
  await own.putCursor(FINDING.text.indexOf("\n  Void @3"));
  await page.keyboard.type("\nFloat @9 = Mu");
  t.regex(await own.completions(), /Mul\(T, T\) -> T/);
  await new Promise((resolve) => setTimeout(resolve, 200)); // the editor ignores a key that comes at once
  await page.keyboard.press("Enter");
  t.true((await own.text()).includes("Float @9 = Mul("));
  await page.keyboard.type("@");
  t.is(await own.completions(), "@0@1@2");
  t.deepEqual(errors, []);
});

browserTest("each view shows the forms of the chosen compilation", async (t, open) => {
  const { page, errors } = await open(ADDRESS);
  const own = new PlaygroundPage(page);
  await own.done();
  t.regex(await own.view("phases"), /reduce-strength of f: 1 × planted-add-zero/);
  await own.write(GUARD);
  await own.select("target", "arm64");
  await own.select("level", "O2");
  await own.done();
  t.true((await own.view("lir")).includes("lir arm64 f allocated"));
  t.regex(await own.view("code"), /^\.L\d+:$/m);
  t.regex(await own.view("bytes"), /^0000 {2}[0-9a-f]{2}/m);
  t.regex(await own.view("exits"), /exit 0: procedure 0/);
  t.regex(await own.view("verdicts"), /AArch64 simulator/);
  for (const [id, legend] of [
    ["graph", /gold arrow/],
    ["intervals", /colour is that of its register/],
    ["lir", /Policies: R a register/],
    ["code", /line without an offset/],
    ["bytes", /both hexadecimal/],
    ["exits", /failed guard/],
  ] as const) {
    const shown = await page.$eval(`details:has(> #${id})`, ({ textContent }) => textContent ?? "");
    t.regex(shown.replace(/\s+/g, " "), legend);
  }
  t.is((await page.$$("#graph svg")).length, 1);
  t.is((await page.$$("#intervals svg")).length, 1);
  await own.putCursor(GUARD.indexOf("@1") + 1);
  await waitUntil(page, () => document.getElementById("marked")?.textContent === "@1 is marked.");
  const marks = await page.evaluate(() =>
    [...(CSS.highlights.get("value") ?? [])].map((range) => {
      const view = range.startContainer.parentElement?.closest(".view");
      return `${view?.id} ${range}`;
    }),
  );
  t.true(new Set(marks).size > 1, marks.join(", "));
  // A virtual register that holds the value is marked too.
  const registers = marks.filter((mark) => /^lir v\d+$/.test(mark));
  t.true(registers.length > 0, marks.join(", "));
  t.true(
    marks.every((mark) => mark.endsWith(" @1") || registers.includes(mark)),
    marks.join(", "),
  );
  t.deepEqual(errors, []);
});

browserTest("the engine of the browser has rows in the table", async (t, open) => {
  const { page, errors, browser } = await open(ADDRESS);
  const own = new PlaygroundPage(page);
  await own.done();
  t.deepEqual(await own.browserRows(), ["call 1: equal", "call 1000: equal"]);
  t.regex(
    await own.view("browser-verdicts"),
    browser === "chromium" ? /WebAssembly: Chrome \d+/ : /WebAssembly: Firefox \d+/,
  );
  await own.select("calls", "1");
  await waitUntil(
    page,
    () => document.querySelectorAll("#browser-verdicts tr:not(.group)").length === 1,
  );
  t.deepEqual(await own.browserRows(), ["call 1: equal"]);
  t.is((await own.verdicts()).different, 12);
  t.deepEqual(errors, []);
});

browserTest(
  "an engine that hangs has a row without a verdict, and the page continues",
  async (t, open) => {
    const { page, errors } = await open(ADDRESS, (page) =>
      page.evaluateOnNewDocument(hangingEngine).then(() => {}),
    );
    const own = new PlaygroundPage(page);
    await own.done();
    await waitUntil(page, () =>
      /running/.test(document.getElementById("browser-verdicts")?.textContent ?? ""),
    );
    await own.write(GUARD);
    await own.done();
    t.is((await own.verdicts()).equal, 18);
    await waitUntil(page, () =>
      /running/.test(document.getElementById("browser-verdicts")?.textContent ?? ""),
    );
    await page.click("#stop");
    t.regex(await own.view("browser-verdicts"), /stopped: no verdict$/);
    t.deepEqual(errors, []);
  },
);

browserTest("a shared link shows the same page again", async (t, open) => {
  const first = await open(ADDRESS);
  const own = new PlaygroundPage(first.page);
  await own.done();
  t.regex(await own.view("canary-help"), /^x \+ 0\.0 becomes x, although -0\.0 \+ 0\.0 is 0\.0\./);
  await own.select("profile", "pressure");
  t.regex(await own.view("profile-help"), /^more live values than registers/);
  await own.select("examples", "2");
  await own.select("level", "O2");
  await own.select("calls", "10000");
  await own.done();
  const state = await own.state();
  const address = await first.page.evaluate(() => location.href);
  t.regex(address, /#v1\.[A-Za-z0-9_-]{100,}$/);
  await first.page.click("#copy");
  await waitUntil(first.page, () =>
    /link/.test(document.getElementById("status")?.textContent ?? ""),
  );
  const { page, errors } = await open(address);
  const other = new PlaygroundPage(page);
  await other.done();
  t.deepEqual(await other.state(), state);
  t.is(await page.$eval("#calls", (select) => Reflect.get(select, "value")), "10000");
  const damaged = await open(`${ADDRESS}#v9.AAAA`);
  const third = new PlaygroundPage(damaged.page);
  await damaged.page.waitForSelector("#faults p");
  t.regex((await third.faults())[0], /version 9.*reads version 1/);
  t.deepEqual(errors, []);
});

browserTest("a reduction shows its progress; Stop keeps its smallest program", async (t, open) => {
  const { page, errors } = await open(ADDRESS);
  const own = new PlaygroundPage(page);
  await own.done();
  const more = Array.from(
    { length: 40 },
    (_, i) => `  Float @${i + 9} = Mul(@0, @${i === 0 ? 0 : i + 8})`,
  );
  const big = FINDING.text.replace("  Float @1 =", `${more.join("\n")}\n  Float @1 =`);
  await own.write(big);
  await own.done();
  // The observer acts between two replies, however many arrive at once.
  await page.evaluate(() => {
    const status = document.getElementById("status");
    const observer = new MutationObserver(() => {
      if (!/^Reducing: \d+ → \d+ values/.test(status?.textContent ?? "")) return;
      observer.disconnect();
      document.getElementById("stop")?.click();
    });
    if (status !== null) observer.observe(status, { childList: true });
  });
  await page.click("#reduce");
  await own.changed(big);
  await own.done();
  const stopped = await own.text();
  t.true(stopped.length < big.length);
  t.true((await own.verdicts()).different > 0);
  await page.click("#reduce");
  await own.changed(stopped);
  await own.done();
  t.true((await own.text()).length < stopped.length);
  t.true((await own.verdicts()).different > 0);
  t.regex(await own.view("size"), /: \d values?, \d+ before the reduction$/);
  t.deepEqual(errors, []);
});

browserTest("Stop ends an endless program, and the page continues", async (t, open) => {
  const { page, errors } = await open(ADDRESS);
  const own = new PlaygroundPage(page);
  await own.done();
  // One call ends without fuel; 500 calls take seconds.
  const endless =
    "touchstone 1\nproc f() -> Void\n#0:\n  Void @0 = Jump(#1)\n#1:\n  Void @1 = Jump(#1)\n";
  await own.write(endless + "; run: f()\n".repeat(5000));
  await waitUntil(page, () => document.getElementById("status")?.textContent === "Running.");
  const status = await page.evaluate(async () => {
    for (let timers = 0; timers < 10; timers++) {
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    return document.getElementById("status")?.textContent;
  });
  t.is(status, "Running.", "the page waited for the program");
  await page.click("#stop");
  await waitUntil(page, () =>
    /^Ended: stopped/.test(document.getElementById("status")?.textContent ?? ""),
  );
  t.true(
    (await page.$$("#verdicts.old")).length > 0,
    "the verdicts of another program look current",
  );
  await own.write(`${endless}; run: f()\n`);
  await own.done();
  t.is((await page.$$("#verdicts.old")).length, 0);
  t.regex(await own.view("outcomes"), /out-of-fuel/);
  t.regex(await own.view("verdicts"), /line 7: unjudged: out of fuel/);
  t.is((await own.verdicts()).unjudged, 18);
  t.deepEqual(errors, []);
});

browserTest("a program without a difference keeps its views", async (t, open) => {
  const { page, errors } = await open(ADDRESS);
  const own = new PlaygroundPage(page);
  await own.done();
  await own.write(GUARD);
  await own.done();
  await own.putCursor(GUARD.indexOf("@1") + 1);
  await waitUntil(page, () => document.getElementById("marked")?.textContent === "@1 is marked.");
  await page.click("#reduce");
  await waitUntil(page, () =>
    /nothing differs/.test(document.getElementById("faults")?.textContent ?? ""),
  );
  t.is((await page.$$(".view.old")).length, 0);
  await page.select("#examples", "1");
  await own.done();
  t.is(await page.$eval("#marked", ({ textContent }) => textContent), "");
  t.deepEqual(errors, []);
});

browserTest("markup in a program, a link and every reply is text", async (t, open) => {
  const text = `${FINDING.text}; ${MARKUP}\n`;
  const shown = { target: "x64", level: "O1", allocator: "one-pass" } as const;
  const found = { subject: MARKUP, runs: [{ input: MARKUP, expected: MARKUP, got: "\u202e" }] };
  const link = await linkOf({ text, canary: MARKUP, shown, found, calls: null });
  const linked = await open(`${ADDRESS}#${link}`);
  await linked.page.waitForSelector("#faults p");
  t.true((await new PlaygroundPage(linked.page).faults())[0].includes(MARKUP));
  // A worker that answers markup in every field stands for all that a program could cause.
  const faked = await open(`${ADDRESS}#${link}`, (page) =>
    page.evaluateOnNewDocument(fakeWorker, MARKUP).then(() => {}),
  );
  await new PlaygroundPage(faked.page).done();
  const edited = new PlaygroundPage(faked.page);
  await edited.write("touchstone 1\nproc f() -> Int32\n#0:\n  Int32 @0 = ");
  await edited.putCursor((await edited.text()).length);
  t.true((await edited.completions()).includes(MARKUP));
  t.is(await edited.inEditor("img, script"), 0);
  for (const { page } of [linked, faked]) {
    t.is(await page.title(), "Touchstone playground");
    t.is((await page.$$("img, script:not(#data):not(#page)")).length, 0);
    t.true((await new PlaygroundPage(page).view("found-outcomes")).includes("\\u{202e}"));
  }
  const seen = new PlaygroundPage(faked.page);
  for (const view of [
    "outcomes",
    "verdicts",
    "phases",
    "graph",
    "intervals",
    "lir",
    "code",
    "bytes",
    "exits",
  ]) {
    t.true((await seen.view(view)).includes(MARKUP), view);
  }
});

browserTest(
  "the page fuzzes its browser, and finds and reduces a broken module",
  async (t, open) => {
    const { page, errors } = await open(ADDRESS);
    await new PlaygroundPage(page).done();
    const run = async (values: Readonly<Record<string, string>>): Promise<string> => {
      await page.evaluate((values) => {
        for (const [id, value] of Object.entries(values)) {
          const input = document.getElementById(id);
          if (input instanceof HTMLInputElement) input.value = value;
        }
      }, values);
      await page.click("#fuzz-start");
      await waitUntil(page, () =>
        /^Ended/.test(document.getElementById("fuzz-status")?.textContent ?? ""),
      );
      return page.$eval("#fuzz-status", (element) => element.textContent ?? "");
    };
    await page.click("#tab-fuzz");
    const few = { "fuzz-count": "5", "fuzz-workers": "1", "fuzz-first": "1" };
    t.regex(await run(few), /^Ended: 5 of 5 programs, 0 different, 0 without an end/);
    await page.click("#fuzz-broken");
    t.regex(
      await run({ ...few, "fuzz-first": "2", "fuzz-rounds": "7" }),
      /, 1 different, 0 without an end/,
    );
    const finding = await page.$eval("#fuzz-findings article", (item) => item.textContent ?? "");
    t.regex(finding, /difference, seed 2: reduced, \d+ → \d values/);
    await page.click("#fuzz-findings article button");
    const own = new PlaygroundPage(page);
    await own.done();
    t.regex(await own.text(), /^touchstone 1/);
    t.is((await own.verdicts()).different, 0);
    t.deepEqual(await own.browserRows(), ["call 1: equal", "call 7: equal"]);
    t.deepEqual(errors, []);
  },
);

browserTest("a reduction goes on without a candidate whose run hangs", async (t, open) => {
  const { page, errors } = await open(ADDRESS, (page) =>
    page.evaluateOnNewDocument(hangingCandidates).then(() => {}),
  );
  await new PlaygroundPage(page).done();
  await page.click("#tab-fuzz");
  await page.evaluate(() => {
    for (const [id, value] of [
      ["fuzz-first", "2"],
      ["fuzz-count", "1"],
      ["fuzz-workers", "1"],
    ]) {
      const input = document.getElementById(id);
      if (input instanceof HTMLInputElement) input.value = value;
    }
  });
  await page.click("#fuzz-broken");
  await page.click("#fuzz-start");
  await waitUntil(page, () =>
    /^Ended/.test(document.getElementById("fuzz-status")?.textContent ?? ""),
  );
  const finding = await page.$eval("#fuzz-findings article", (item) => item.textContent ?? "");
  t.regex(finding, /difference, seed 2: reduced, \d+ → \d values/);
  t.is(await page.evaluate(() => document.documentElement.dataset["hung"]), "2");
  t.deepEqual(errors, []);
});

const AXE = readFileSync(join(projectRoot(), "node_modules", "axe-core", "axe.min.js"), "utf8");

/** Returns the violations of accessibility rules, one line each. */
async function violations(page: Page): Promise<string[]> {
  await page.evaluate(AXE);
  const found: unknown = await page.evaluate(`axe.run().then(({ violations }) =>
    violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => id + ": " + html.slice(0, 100))))`);
  return Array.isArray(found) ? found.map(String) : [`axe returned ${found}`];
}

/** Returns the ids of the elements that the Tab key reaches, in order, until one repeats. */
async function reached(page: Page): Promise<string[]> {
  const ids: string[] = [];
  for (let i = 0; i < 100; i++) {
    await page.keyboard.press("Tab");
    const id = await page.evaluate(() => document.activeElement?.id ?? "");
    if (id !== "" && ids.includes(id)) break;
    if (id !== "") ids.push(id);
  }
  return ids;
}

browserTest(
  "both parts are accessible, fit 400 pixels, and need only the keyboard",
  async (t, open) => {
    const { page, browser } = await open(ADDRESS);
    const own = new PlaygroundPage(page);
    await own.done();
    await own.resize(400, 800);
    const check = async (part: string): Promise<void> => {
      for (const value of browser === "chromium" ? ["dark", "light"] : [""]) {
        if (value !== "")
          await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value }]);
        t.deepEqual(await violations(page), [], `${part} ${value}`);
      }
      t.true((await page.evaluate(() => document.documentElement.scrollWidth)) <= 400, part);
    };
    await check("one program");
    await page.focus("#tab-program");
    const first = ["examples", "canary", "profile", "seed", "draw", "program", "reduce", "copy"];
    const ids = await reached(page);
    t.deepEqual(
      ids.filter((id) => first.includes(id)),
      first,
    );
    t.true(
      ["target", "level", "allocator"].every((id) => ids.includes(id)),
      ids.join(" "),
    );
    await page.focus("#reduce");
    await page.keyboard.press("Enter");
    await waitUntil(page, () => document.getElementById("stop")?.matches(":disabled"));
    await own.done();
    await page.focus("#tab-program");
    await page.keyboard.press("ArrowRight");
    await page.waitForSelector("#part-fuzz:not([hidden])");
    for (const id of ["fuzz-profile", "fuzz-first", "fuzz-count"]) {
      await page.keyboard.press("Tab");
      t.is(await page.evaluate(() => document.activeElement?.id), id);
    }
    await check("fuzz this browser");
  },
);

/** Writes the report of the README's finding as that of a campaign `c`, and returns its id. */
const reports = mkdtempSync(join(folder, "reports-"));
const report = (async (): Promise<string> => {
  const program = join(folder, "finding.ir");
  writeFileSync(program, FINDING.text);
  const { out } = await runHere([
    ...["report", program, "--canary", "float-rule", "--subjects", "ir-O1"],
    ...["--out", join(reports, "c"), "--json"],
  ]);
  return basename(JSON.parse(out).findings[0].path);
})();

/** Opens the report, follows its link, and changes the program until nothing differs. */
async function changeIt(t: ExecutionContext, { page, errors }: TestPage): Promise<void> {
  await page.waitForSelector("#program a");
  await page.click("#program a");
  await page.waitForSelector("#verdicts tbody tr");
  const own = new PlaygroundPage(page);
  await own.done();
  t.is((await own.verdicts()).different, 12);
  t.regex(await own.view("found-outcomes"), /outcome by ir-O1/);
  const text = await own.text();
  await own.write(text.replace("ConstFloat(0.0)", "ConstFloat(-0.0)"));
  await own.done();
  t.is((await own.verdicts()).different, 0);
  t.regex(
    await own.view("outcomes"),
    /The oracle disagrees with the outcome that a run line states/,
  );
  const example = await page.$eval("#examples", (list) => {
    return list instanceof HTMLSelectElement && list.selectedOptions[0].textContent;
  });
  t.is(example, "none: your own program");
  t.deepEqual(errors, []);
}

browserTest("a report links to its program, which can be changed", async (t, open) => {
  const file = join(reports, "c", await report, "report.html");
  await changeIt(t, await open(pathToFileURL(file).href));
});

browserTest("fuzz serve shows the page, and the links of its reports work", async (t, open) => {
  const id = await report;
  const launcher = join(projectRoot(), "fuzz", "launcher.mjs");
  const child = spawn(
    process.execPath,
    [launcher, "serve", "--port", "0", "--reports", reports, "--json"],
    { stdio: ["ignore", "pipe", "inherit"] },
  );
  t.teardown(() => void child.kill("SIGTERM"));
  const line = await new Promise<string>((resolve) => {
    child.stdout.once("data", (chunk: Buffer) => resolve(chunk.toString()));
  });
  const { address } = JSON.parse(line);
  const { page, errors } = await open(`${address}playground`);
  const own = new PlaygroundPage(page);
  await own.done();
  t.is((await own.verdicts()).different, 12);
  t.deepEqual(errors, []);
  await changeIt(t, await open(`${address}campaign/c/${id}/report.html`));
});
