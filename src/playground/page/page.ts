// Runs in the page: the editor, its controls, and the views of what the worker answers.
/// <reference lib="dom" />

import { LEVELS } from "../../../reference/levels.js";
import { ALLOCATOR_NAMES } from "../../../reference/regalloc/allocator-names.js";
import { TARGET_NAMES } from "../../../reference/target/target.js";
import type { FoundOutcomes, PageState, ShownCompilation } from "../../report/page-state.js";
import { assert } from "../../support/assert.js";
import type { ProgramExample } from "../examples.js";
import { linkOf, stateOf } from "../link.js";
import type { NameLists, RequestFault, WorkerReply, WorkerRequest } from "../protocol.js";
import { button, byId, make } from "./elements.js";
import { setUpFuzzing } from "./fuzz-tab.js";
import { clickedValue, markValue, valueAt } from "./mark-value.js";
import {
  foundView,
  graphsView,
  outcomesView,
  phasesView,
  textView,
  verdictsView,
} from "./views.js";
import { type RequestEnding, WorkerClient } from "./worker-client.js";

const RUN_SECONDS = 10;
const REDUCE_SECONDS = 120;
/** The program is judged this long after the last key. */
const PAUSE_MILLISECONDS = 15;
/** A new program waits this long for the answer of an earlier one; then its worker is stopped. */
const PATIENCE_MILLISECONDS = 700;

interface PageData {
  readonly worker: string;
  readonly examples: readonly ProgramExample[];
}

const data: PageData = JSON.parse(byId("data", HTMLScriptElement).textContent ?? "");
const client = new WorkerClient(data.worker);

const editor = byId("program", HTMLTextAreaElement);
const gutter = byId("gutter", HTMLElement);
const tabs = ["tab-program", "tab-fuzz"].map((id) => byId(id, HTMLElement));
const status = byId("status", HTMLElement);
const faults = byId("faults", HTMLElement);
const examples = byId("examples", HTMLSelectElement);
const canaries = byId("canary", HTMLSelectElement);
const profiles = byId("profile", HTMLSelectElement);
const seed = byId("seed", HTMLInputElement);
const selects = {
  target: byId("target", HTMLSelectElement),
  level: byId("level", HTMLSelectElement),
  allocator: byId("allocator", HTMLSelectElement),
};
const size = byId("size", HTMLElement);
const stop = byId("stop", HTMLButtonElement);
const views = byId("views", HTMLElement);

let timer = 0;
/** The link that the page has written; a change of the address to another one is the user's. */
let ownLink = "";

function shown(): ShownCompilation {
  const target = TARGET_NAMES.find((name) => name === selects.target.value);
  const level = LEVELS.find((name) => name === selects.level.value);
  const allocator = ALLOCATOR_NAMES.find((name) => name === selects.allocator.value);
  assert(
    target !== undefined && level !== undefined && allocator !== undefined,
    () => "the options of the page are those of the tables",
  );
  return { target, level, allocator };
}

/** The outcomes of the finding that the program comes from. */
let found: FoundOutcomes | null = null;

const state = (): PageState => ({
  text: editor.value,
  canary: canaries.value === "" ? null : canaries.value,
  shown: shown(),
  found,
});

function setState({
  text,
  canary,
  shown: { target, level, allocator },
  found: known,
}: PageState): void {
  found = known;
  showFound();
  editor.value = text;
  if (canary !== null && ![...canaries.options].some(({ value }) => value === canary)) {
    canaries.add(new Option(canary, canary)); // the worker reports a name that does not exist
  }
  canaries.value = canary ?? "";
  selects.target.value = target;
  selects.level.value = level;
  selects.allocator.value = allocator;
  change();
}

/** Sends a request, and shows that it runs. */
function send(
  request: WorkerRequest,
  seconds: number,
  onReply: (reply: WorkerReply) => void,
  onEnd: (ending: RequestEnding) => void = () => {},
): void {
  const startedAt = performance.now();
  client.send(
    request,
    seconds,
    (reply) => (reply.kind === "fault" ? showFault(reply) : onReply(reply)),
    (ending) => {
      stop.disabled = true;
      const milliseconds = Math.round(performance.now() - startedAt);
      status.textContent =
        ending === "done"
          ? `Done in ${milliseconds} ms.`
          : `Ended: ${ending}, after ${milliseconds} ms.`;
      onEnd(ending);
      showBusy();
    },
  );
  stop.disabled = false;
  showBusy();
  status.textContent = "Running.";
}

/** Marks the views while they wait for an answer. */
function showBusy(): void {
  if (client.isBusy || timer !== 0) views.setAttribute("aria-busy", "true");
  else views.removeAttribute("aria-busy");
}

function showFault({ place, message }: RequestFault): void {
  const text = place === null ? message : `line ${place.line}, column ${place.column}: ${message}`;
  const item =
    place === null ? make("p", {}, text) : button(text, () => goTo(place.line, place.column));
  faults.replaceChildren(item);
  drawGutter(place?.line ?? 0);
  for (const view of views.querySelectorAll(".view")) view.classList.add("old");
}

/** Selects a place in the editor, and scrolls to it. */
function goTo(line: number, column = 1): void {
  const lines = editor.value.split("\n");
  const start = lines.slice(0, line - 1).reduce((sum, text) => sum + text.length + 1, 0);
  const at = start + Math.min(column, lines[line - 1]?.length ?? 0) - 1;
  editor.focus();
  editor.setSelectionRange(Math.max(start, at), start + (lines[line - 1]?.length ?? 0));
  editor.scrollTop = (line - 4) * Number.parseFloat(getComputedStyle(editor).lineHeight);
}

function showFound(): void {
  byId("found", HTMLElement).hidden = found === null;
  if (found !== null) showView("found-outcomes", foundView(found));
}

function drawGutter(faulty: number): void {
  const count = editor.value.split("\n").length;
  const numbers = Array.from({ length: count }, (_, i) =>
    make("div", i + 1 === faulty ? { class: "faulty" } : {}, String(i + 1)),
  );
  gutter.replaceChildren(...numbers);
  gutter.scrollTop = editor.scrollTop;
}

let marked: string | null = null;

/** Marks a value in all views. */
function mark(value: string | null): void {
  marked = value;
  markValue(views, value);
  byId("marked", HTMLElement).textContent = value === null ? "" : `${value} is marked.`;
}

function markAtCursor(): void {
  if (document.activeElement === editor) mark(valueAt(editor.value, editor.selectionStart));
}

function showView(id: string, view: Node): void {
  const place = byId(id, HTMLElement);
  place.classList.remove("old");
  place.replaceChildren(view);
  mark(marked);
}

/** Judges and compiles the program, and writes the link. */
function update(): void {
  // A new worker costs more than most answers.
  if (client.runsFor < PATIENCE_MILLISECONDS && client.isBusy) {
    timer = window.setTimeout(update, PAUSE_MILLISECONDS);
    return;
  }
  timer = 0;
  const now = state();
  void linkOf(now).then((link) => {
    ownLink = `#${link}`;
    history.replaceState(null, "", ownLink);
  });
  faults.replaceChildren();
  drawGutter(0);
  const { text, canary } = now;
  send({ kind: "judge", text, canary }, RUN_SECONDS, showJudged, (ending) => {
    views.dataset["answered"] = ending;
    // A fault of the program would be shown again.
    if (ending !== "stopped" && faults.childElementCount === 0) compile(now);
  });
}

function showJudged(reply: WorkerReply): void {
  if (reply.kind !== "judged") return;
  size.textContent = reply.values === 1 ? "1 value" : `${reply.values} values`;
  showView("outcomes", outcomesView(reply, goTo));
  const select = ({ target, level, allocator }: ShownCompilation): void => {
    selects.target.value = target;
    selects.level.value = level;
    selects.allocator.value = allocator;
    change();
  };
  const focused = document.activeElement?.closest("#verdicts") == null ? null : shown();
  showView("verdicts", verdictsView(reply, shown(), select));
  if (focused !== null) {
    views.querySelector<HTMLElement>('#verdicts [aria-pressed="true"]')?.focus();
  }
}

function compile({ text, canary, shown: compilation }: PageState): void {
  send({ kind: "compile", text, canary, shown: compilation }, RUN_SECONDS, (reply) => {
    if (reply.kind !== "compiled") return;
    showView("phases", phasesView(reply));
    showView("graph", graphsView(reply));
    showView("lir", textView(reply.lir, "allocated LIR"));
    const code = reply.error ?? reply.listing;
    showView("code", textView(code, "machine code"));
    showView("bytes", textView(reply.bytes, "bytes"));
    showView("exits", textView(reply.exits, "exit table"));
  });
}

/** Updates the views after a pause. */
function change(): void {
  drawGutter(0);
  window.clearTimeout(timer);
  timer = window.setTimeout(update, PAUSE_MILLISECONDS);
  showBusy();
}

function draw(): void {
  const request = { kind: "draw", profile: profiles.value, seed: seed.value.trim() } as const;
  send(request, RUN_SECONDS, (reply) => {
    if (reply.kind !== "drawn") return;
    found = null;
    showFound();
    editor.value = reply.text;
    editor.scrollTop = 0;
    change();
  });
}

function reduce(): void {
  const { text, canary } = state();
  faults.replaceChildren();
  let smallest: string | null = null;
  const onReply = (reply: WorkerReply): void => {
    if (reply.kind !== "reduced") return;
    smallest = reply.text;
    status.textContent = `Reducing: ${reply.values} values.`;
  };
  send({ kind: "reduce", text, canary }, REDUCE_SECONDS, onReply, () => {
    // Also after Stop: the smallest program so far is a result.
    if (smallest === null) return;
    editor.value = smallest;
    change();
  });
}

async function openLink(): Promise<void> {
  if (location.hash === ownLink || location.hash.length < 2) return;
  try {
    setState(await stateOf(location.hash.slice(1)));
  } catch (error) {
    const message = error instanceof RangeError ? error.message : String(error);
    showFault({ kind: "fault", place: null, message });
  }
}

async function copyLink(): Promise<void> {
  const link = `#${await linkOf(state())}`;
  const address = `${location.href.split("#")[0]}${link}`;
  try {
    await navigator.clipboard.writeText(address);
    status.textContent = `Copied a link of ${address.length} characters.`;
  } catch {
    status.textContent = "The browser refuses to copy: the link is in the address bar.";
  }
}

function fillLists({ profiles: names, canaries: bugs }: NameLists): void {
  const others = byId("fuzz-profile", HTMLSelectElement);
  for (const name of names) {
    profiles.add(new Option(name, name));
    others.add(new Option(name, name));
  }
  for (const { name, says } of bugs) canaries.add(new Option(`${name}: ${says}`, name));
}

/** Shows one of the two parts of the page. */
function showTab(chosen: HTMLElement): void {
  for (const tab of tabs) {
    const isChosen = tab === chosen;
    tab.setAttribute("aria-selected", String(isChosen));
    tab.tabIndex = isChosen ? 0 : -1;
    byId(tab.getAttribute("aria-controls") ?? "", HTMLElement).hidden = !isChosen;
  }
}

function setUpTabs(): void {
  for (const [t, tab] of tabs.entries()) {
    tab.addEventListener("click", () => showTab(tab));
    tab.addEventListener("keydown", ({ key }) => {
      const step = { ArrowLeft: -1, ArrowRight: 1 }[key];
      if (step === undefined) return;
      const other = tabs[(t + step + tabs.length) % tabs.length];
      other.focus();
      showTab(other);
    });
  }
}

function open(example: ProgramExample): void {
  setState({ ...example, shown: shown(), found: null });
  editor.scrollTop = 0;
}

data.examples.forEach(({ title }, i) => {
  examples.add(new Option(title, String(i)));
});
for (const name of TARGET_NAMES) selects.target.add(new Option(name, name));
for (const name of LEVELS) selects.level.add(new Option(name, name, false, name === "O1"));
for (const name of ALLOCATOR_NAMES) selects.allocator.add(new Option(name, name));
selects.allocator.value = "one-pass";

editor.addEventListener("input", change);
document.addEventListener("selectionchange", markAtCursor);
editor.addEventListener("selectionchange", markAtCursor);
views.addEventListener("click", (event) => {
  const value = clickedValue(event);
  if (value !== null) mark(value);
});
editor.addEventListener("scroll", () => {
  gutter.scrollTop = editor.scrollTop;
});
examples.addEventListener("change", () => open(data.examples[Number(examples.value)]));
for (const select of [canaries, ...Object.values(selects)])
  select.addEventListener("change", change);
byId("draw", HTMLButtonElement).addEventListener("click", draw);
byId("reduce", HTMLButtonElement).addEventListener("click", reduce);
byId("copy", HTMLButtonElement).addEventListener("click", () => void copyLink());
stop.addEventListener("click", () => client.stop());
window.addEventListener("hashchange", () => void openLink());

setUpTabs();
setUpFuzzing(data.worker, (text) => {
  showTab(tabs[0]);
  setState({ text, canary: null, shown: shown(), found: null });
  editor.focus();
});

send({ kind: "lists" }, RUN_SECONDS, (reply) => {
  if (reply.kind !== "lists") return;
  fillLists(reply);
  if (location.hash.length > 1) void openLink();
  else open(data.examples[0]);
});
