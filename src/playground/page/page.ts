// Runs in the page: the editor, its controls, and the views of what the worker answers.
/// <reference lib="dom" />

import { LEVELS } from "../../../reference/levels.js";
import { ALLOCATOR_NAMES } from "../../../reference/regalloc/allocator-names.js";
import { TARGET_NAMES } from "../../../reference/target/target.js";
import type { FoundOutcomes, PageState, ShownCompilation } from "../../report/page-state.js";
import { assert } from "../../support/assert.js";
import type { ProgramExample } from "../examples.js";
import { linkOf, stateOf } from "../link.js";
import type {
  JudgedProgram,
  NameHelp,
  NameLists,
  ReducedProgram,
  RequestFault,
  WorkerReply,
  WorkerRequest,
} from "../protocol.js";
import { button, byId, make } from "./elements.js";
import { setUpFuzzing } from "./fuzz-tab.js";
import { clickedValue, markValue } from "./mark-value.js";
import { ProgramEditor } from "./program-editor.js";
import {
  browserRows,
  browserWaits,
  foundView,
  lirView,
  outcomesView,
  phasesView,
  picturesView,
  textView,
  verdictsView,
} from "./views.js";
import { type RequestEnding, WorkerClient } from "./worker-client.js";

/** The program is judged this long after the last key. */
const PAUSE_MILLISECONDS = 15;
/** A new program waits this long for the answer of an earlier one; then its worker is stopped. */
const PATIENCE_MILLISECONDS = 700;
/** The engine of the browser runs a program that did not change for this long. */
const REST_MILLISECONDS = 250;

interface PageData {
  readonly worker: string;
  /** The time limit of a request, in seconds; a reduction has a longer one. */
  readonly seconds: number;
  readonly examples: readonly ProgramExample[];
}

const data: PageData = JSON.parse(byId("data", HTMLScriptElement).textContent ?? "");
const client = new WorkerClient(data.worker, true);
/** Runs programs in the engine of the browser, which may hang: its worker ends alone. */
const engine = new WorkerClient(data.worker);

customElements.define("program-editor", ProgramEditor);
const editor = byId("program", ProgramEditor);
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
const calls = byId("calls", HTMLSelectElement);
const size = byId("size", HTMLElement);
const oldNote = byId("old-note", HTMLElement);
const stop = byId("stop", HTMLButtonElement);
const views = byId("views", HTMLElement);

const DESCRIPTION = "aria-describedby";
/** The names that each list offers. */
const help = new Map<HTMLSelectElement, readonly NameHelp[]>();

let timer = 0;
let engineTimer = 0;
/** The program of the verdicts in the table. */
let judged: { readonly text: string; readonly runs: JudgedProgram["runs"] } | null = null;
/** The result of the last reduction. */
let reduced: ReducedProgram | null = null;
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
  calls: Number(calls.value),
});

function setState({
  text,
  canary,
  shown: { target, level, allocator },
  found: known,
  calls: count,
}: PageState): void {
  found = known;
  showFound();
  if (count !== null) selectCalls(String(count));
  editor.value = text;
  mark(null);
  if (canary !== null && ![...canaries.options].some(({ value }) => value === canary)) {
    canaries.add(new Option(canary, canary)); // the worker reports a name that does not exist
  }
  canaries.value = canary ?? "";
  selects.target.value = target;
  selects.level.value = level;
  selects.allocator.value = allocator;
  change();
}

function selectCalls(count: string): void {
  if (![...calls.options].some(({ value }) => value === count)) calls.add(new Option(count));
  calls.value = count;
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
    (reply) => {
      if (reply.kind !== "fault") return onReply(reply);
      showFault(reply);
      // The views of a program remain right if it cannot be reduced, or another one cannot be drawn.
      if (request.kind === "judge" || request.kind === "compile") markOld("has an error");
    },
    (ending) => {
      const milliseconds = Math.round(performance.now() - startedAt);
      status.textContent =
        ending === "done"
          ? `Done in ${milliseconds} ms.`
          : `Ended: ${ending}, after ${milliseconds} ms.`;
      onEnd(ending);
      showBusy();
    },
  );
  showBusy();
  status.textContent = "Running.";
}

/** Marks the views while they wait for an answer. */
function showBusy(): void {
  stop.disabled = !client.isBusy && !engine.isBusy;
  if (client.isBusy || timer !== 0) views.setAttribute("aria-busy", "true");
  else views.removeAttribute("aria-busy");
}

function showFault({ place, message }: RequestFault): void {
  const text = place === null ? message : `line ${place.line}, column ${place.column}: ${message}`;
  const item = place === null ? make("p", {}, text) : button(text, () => editor.goTo(place));
  faults.replaceChildren(item);
  editor.showFault(place === null ? null : { place, message });
}

/**
 * Shows that the views are of an earlier program.
 * @param state why the present program has none
 */
function markOld(state: string): void {
  for (const view of [size, ...views.querySelectorAll(".view")]) view.classList.add("old");
  if (judged === null) return;
  oldNote.textContent = `The program ${state}. These are the results of the last correct program.`;
}

function showFound(): void {
  byId("found", HTMLElement).hidden = found === null;
  if (found !== null) showView("found-outcomes", foundView(found));
}

let marked: string | null = null;

/** Marks a value in the editor and in all views. */
function mark(value: string | null): void {
  if (value !== marked) editor.mark(value);
  marked = value;
  markValue(views, value);
  byId("marked", HTMLElement).textContent = value === null ? "" : `${value} is marked.`;
}

function showView(id: string, view: Node): void {
  const place = byId(id, HTMLElement);
  place.classList.remove("old");
  place.replaceChildren(view);
  mark(marked);
}

/** Judges the program of the table in the engine of the browser, after a rest. */
function judgeInBrowser(): void {
  window.clearTimeout(engineTimer);
  if (judged === null) return;
  const { text, runs } = judged;
  showBrowser(...browserWaits("waiting"));
  engineTimer = window.setTimeout(() => {
    engine.send(
      { kind: "judge-browser", text, calls: Number(calls.value), isBroken: false },
      data.seconds,
      (reply) => {
        if (reply.kind === "browser") showBrowser(...browserRows(reply, runs));
        if (reply.kind === "fault") showBrowser(...browserWaits(reply.message));
      },
      (ending) => {
        if (ending !== "done") showBrowser(...browserWaits(`${ending}: no verdict`));
        showBusy();
      },
    );
    showBrowser(...browserWaits("running")); // an earlier request has ended now
    showBusy();
  }, REST_MILLISECONDS);
}

function showBrowser(...rows: readonly Node[]): void {
  byId("browser-verdicts", HTMLTableSectionElement).replaceChildren(...rows);
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
  editor.showFault(null);
  const { text, canary } = now;
  const onReply = (reply: WorkerReply): void => showJudged(reply, text);
  send({ kind: "judge", text, canary }, data.seconds, onReply, (ending) => {
    views.dataset["answered"] = ending;
    if (ending !== "done") markOld(`has no results (${ending})`);
    // A fault of the program would be shown again.
    if (ending !== "stopped" && faults.childElementCount === 0) compile(now);
  });
}

function showJudged(reply: WorkerReply, text: string): void {
  if (reply.kind !== "judged") return;
  judged = { text, runs: reply.runs };
  oldNote.textContent = "";
  size.classList.remove("old");
  const before = text === reduced?.text ? `, ${reduced.valuesBefore} before the reduction` : "";
  size.textContent = `Size without constants and returns: ${reply.values} value${reply.values === 1 ? "" : "s"}${before}`;
  showView(
    "outcomes",
    outcomesView(reply, (line) => editor.goTo({ line, column: 1 })),
  );
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
  judgeInBrowser();
}

function compile({ text, canary, shown: compilation }: PageState): void {
  send({ kind: "compile", text, canary, shown: compilation }, data.seconds, (reply) => {
    if (reply.kind !== "compiled") return;
    showView("phases", phasesView(reply));
    showView("graph", picturesView(reply.graphs, "control-flow graph"));
    showView("intervals", picturesView(reply.intervals, "live intervals"));
    showView("lir", lirView(reply.lir));
    const code = reply.error ?? reply.listing;
    showView("code", textView(code, "machine code"));
    showView("bytes", textView(reply.bytes, "bytes"));
    showView("exits", textView(reply.exits, "exit table"));
  });
}

/** Updates the views after a pause. */
function change(): void {
  showHelp();
  window.clearTimeout(timer);
  window.clearTimeout(engineTimer);
  timer = window.setTimeout(update, PAUSE_MILLISECONDS);
  showBusy();
}

function draw(): void {
  const request = { kind: "draw", profile: profiles.value, seed: seed.value.trim() } as const;
  send(request, data.seconds, (reply) => {
    if (reply.kind !== "drawn") return;
    found = null;
    showFound();
    editor.value = reply.text;
    leaveExample();
    mark(null);
    change();
  });
}

/** Shows that the program is none of the examples any more. */
function leaveExample(): void {
  examples.value = "";
}

function reduce(): void {
  const { text, canary } = state();
  faults.replaceChildren();
  let smallest: ReducedProgram | null = null;
  const onReply = (reply: WorkerReply): void => {
    if (reply.kind !== "reduced") return;
    smallest = reply;
    status.textContent = `Reducing: ${reply.valuesBefore} → ${reply.values} values.`;
  };
  send({ kind: "reduce", text, canary }, 12 * data.seconds, onReply, () => {
    // Also after Stop: the smallest program so far is a result.
    if (smallest === null) return;
    reduced = smallest;
    editor.value = smallest.text;
    leaveExample();
    mark(null);
    change();
  });
}

async function openLink(): Promise<void> {
  if (location.hash === ownLink || location.hash.length < 2) return;
  try {
    setState(await stateOf(location.hash.slice(1)));
    leaveExample();
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

function fillLists({ profiles: names, canaries: bugs, opcodes }: NameLists): void {
  editor.offer(opcodes);
  const others = byId("fuzz-profile", HTMLSelectElement);
  for (const { name } of names) {
    profiles.add(new Option(name, name));
    others.add(new Option(name, name));
  }
  for (const { name } of bugs) canaries.add(new Option(name, name));
  help.set(profiles, names).set(others, names).set(canaries, bugs);
  for (const select of [profiles, others]) select.addEventListener("change", showHelp);
  for (const { id } of help.keys()) byId(id, HTMLElement).setAttribute(DESCRIPTION, `${id}-help`);
  showHelp();
}

/** Shows the descriptions of the chosen names. */
function showHelp(): void {
  for (const [select, names] of help) {
    const says = names.find(({ name }) => name === select.value)?.says ?? "";
    byId(`${select.id}-help`, HTMLElement).textContent = says;
  }
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
  setState({ ...example, shown: shown(), found: null, calls: null });
}

data.examples.forEach(({ title }, i) => {
  examples.add(new Option(title, String(i)));
});
for (const name of TARGET_NAMES) selects.target.add(new Option(name, name));
for (const name of LEVELS) selects.level.add(new Option(name, name, false, name === "O1"));
for (const name of ALLOCATOR_NAMES) selects.allocator.add(new Option(name, name));
selects.allocator.value = "one-pass";

editor.addEventListener("change", () => {
  leaveExample();
  change();
});
editor.addEventListener("cursor", () => mark(editor.valueAtCursor));
views.addEventListener("click", (event) => {
  const value = clickedValue(event);
  if (value !== null) mark(value);
});
examples.addEventListener("change", () => open(data.examples[Number(examples.value)]));
for (const select of [canaries, ...Object.values(selects)])
  select.addEventListener("change", change);
byId("draw", HTMLButtonElement).addEventListener("click", draw);
byId("reduce", HTMLButtonElement).addEventListener("click", reduce);
byId("copy", HTMLButtonElement).addEventListener("click", () => void copyLink());
calls.addEventListener("change", change);
stop.addEventListener("click", () => {
  client.stop();
  engine.stop();
});
window.addEventListener("hashchange", () => void openLink());

setUpTabs();
setUpFuzzing(data.worker, (text, rounds) => {
  showTab(tabs[0]);
  setState({ text, canary: null, shown: shown(), found: null, calls: rounds });
  editor.focus();
});

send({ kind: "lists" }, data.seconds, (reply) => {
  if (reply.kind !== "lists") return;
  fillLists(reply);
  if (location.hash.length > 1) void openLink();
  else open(data.examples[0]);
});
