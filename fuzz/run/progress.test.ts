import test from "ava";
import type { RunningProgress } from "../../src/campaign/run/options.js";
import { ProgressView } from "./progress.js";

const AT = (programs: number, seconds: number, symptoms = {}): RunningProgress => ({
  ...{ programs, seconds, symptoms, causes: 1 },
  found: [],
  reducing: null,
});

/**
 * Returns the visible lines of a terminal with 40 columns after these bytes, with the cursor at the
 * end.
 */
function screenAfter(written: string): string[] {
  const lines: string[] = [""];
  for (const part of written.split(/((?=\p{Cc})[^\n\r]\[\d*[AJ]|[\r\n])/u)) {
    const up = /^.\[(\d+)A$/.exec(part);
    if (up !== null) lines.length -= Number(up[1]);
    else if (part === "\n") lines.push("");
    else if (part === "\x1b[J") lines[lines.length - 1] = "";
    else if (part !== "\r") lines[lines.length - 1] += part;
  }
  return lines;
}

test("on a terminal a printed line stays above the block", (t) => {
  let written = "";
  const terminal = { isTTY: true, columns: 60, write: (text: string) => (written += text) };
  let progress = AT(50, 10);
  const view = new ProgressView(terminal, { count: 100, seconds: Infinity }, () => progress);
  view.show();
  progress = AT(60, 12, { "difference/x64-O1/result": 1, "difference/x64-O2/result": 1 });
  view.around(() => terminal.write("found it\n"));
  t.deepEqual(screenAfter(written), [
    "found it",
    "60 programs, 5/s, 12 s, 1 cause in 2 findings, 8 s left",
    "  2 × difference/result, first seen 0 s ago",
    "",
  ]);
  progress = AT(75, 15, { "difference/x64-O2/result": 3, "\u001b[31mred": 1 });
  view.show();
  const screen = screenAfter(written);
  t.is(screen[1], "75 programs, 5/s, 15 s, 1 cause in 4 findings, 5 s left");
  t.regex(screen[2], /^ {2}1 × [^\p{C}]*red, first seen 0 s ago$/u);
  t.is(screen[3], "  3 × difference/result, first seen 3 s ago");
  view.stop();
  t.deepEqual(screenAfter(written), ["found it", ""]);
});

test("in a log the progress is a line, and printing does not change it", (t) => {
  let written = "";
  const log = { write: (text: string) => (written += text) };
  const view = new ProgressView(log, { count: Infinity, seconds: 600 }, () => AT(0, 1));
  view.show();
  view.around(() => log.write("found it\n"));
  t.is(written, "0 programs, 0/s, 1 s, 0 found, 9 min left\nfound it\n");
});

test("a progress line shows the reduced finding and the speed", (t) => {
  let written = "";
  const log = { write: (text: string) => (written += text) };
  const reducing = { begun: 2, reports: 3, values: 140, candidatesPerMinute: 12 };
  const goal = { count: Infinity, seconds: 600 };
  const show = (shown: RunningProgress): void => new ProgressView(log, goal, () => shown).show();
  show({ ...AT(16, 300), reducing });
  show({ ...AT(16, 300), reducing: { ...reducing, values: 0 } });
  t.is(
    written,
    "16 programs, 0.05/s, 5 min, 0 found, 5 min left, reducing 2 of 3, 140 values, 12 candidates a minute\n" +
      "16 programs, 0.05/s, 5 min, 0 found, 5 min left, examining 2 of 3\n",
  );
});
