// Makes the views of replies.
/// <reference lib="dom" />

import type { FoundOutcomes, ShownCompilation } from "../../report/page-state.js";
import type {
  BrowserJudged,
  CompiledForms,
  JudgedCell,
  JudgedProgram,
  PhaseChange,
  ProcedureLir,
  ProcedurePicture,
} from "../protocol.js";
import { button, make } from "./elements.js";
import { nameRegisters } from "./mark-value.js";

const TARGETS = { x64: "x86-64", arm64: "AArch64" } as const;

const UNEXPECTED =
  "The oracle disagrees with the outcome that a run line states after its =. The verdicts compare with the oracle alone.";

export function outcomesView({ runs }: JudgedProgram, goTo: (line: number) => void): Node {
  const rows = runs.map(({ line, input, outcome, floats, failure }) => {
    const place = button(`line ${line}`, () => goTo(line));
    const expectation = failure === null ? "none" : failure === "" ? "holds" : failure;
    return make(
      "tr",
      failure === null || failure === "" ? {} : { class: "different" },
      make("td", {}, place),
      make("td", { class: "code" }, input),
      make("td", { class: "code" }, outcome, ...floats.map((text) => floatLine(text, outcome))),
      make("td", {}, expectation),
    );
  });
  const heads = ["place", "input", "outcome by the oracle", "expected"];
  const table = tableOf(heads, rows, "outcomes");
  if (!runs.some(({ failure }) => failure !== null && failure !== "")) return table;
  return make("div", {}, table, make("p", { class: "quiet" }, UNEXPECTED));
}

/** Returns a line with the bits of a float; its value is omitted if the outcome is only that. */
function floatLine(text: string, outcome: string): Node {
  const bits = text.startsWith(`${outcome} (`) ? text.slice(outcome.length + 2, -1) : text;
  return make("div", { class: "quiet" }, bits);
}

/** Returns the outcomes of the finding that the program comes from. */
export function foundView({ subject, runs }: FoundOutcomes): Node {
  const rows = runs.map(({ input, expected, got }) =>
    make(
      "tr",
      expected === got ? {} : { class: "different" },
      make("td", { class: "code" }, input),
      make("td", { class: "code" }, expected),
      make("td", { class: "code" }, got),
    ),
  );
  const heads = ["input", "outcome by the oracle", `outcome by ${subject}`];
  return tableOf(heads, rows, "outcomes in the finding");
}

/** Returns the table of verdicts; each row selects its compilation. */
export function verdictsView(
  { runs, cells }: JudgedProgram,
  shown: ShownCompilation,
  select: (shown: ShownCompilation) => void,
): Node {
  const rowOf = (cell: JudgedCell): Node => {
    const { target, level, allocator } = cell;
    const isShown =
      target === shown.target && level === shown.level && allocator === shown.allocator;
    const choose = button(`${level} ${allocator}`, () => select({ target, level, allocator }));
    choose.setAttribute("aria-pressed", String(isShown));
    choose.title = "Show the forms of this compilation";
    return verdictRow(cell, choose, detailsOf(cell, runs));
  };
  const groups = Object.entries(TARGETS).flatMap(([target, name]) => {
    const own = cells.filter((cell) => cell.target === target);
    if (own.length === 0) return [];
    return [make("tbody", {}, groupRow(`${name}, run by the ${own[0].by}`), ...own.map(rowOf))];
  });
  const table = tableOf(["compilation", "verdict", "by run line, unless equal"], [], "verdicts");
  table.querySelector("tbody")?.replaceWith(make("tbody", { id: "browser-verdicts" }), ...groups);
  return make("div", {}, make("p", { role: "status" }, summaryOf(cells)), table);
}

function verdictRow(cell: RunCell, head: Node | string, details: string): Node {
  return make(
    "tr",
    { class: kindOf(cell) },
    make("th", { scope: "row" }, head),
    make("td", {}, kindOf(cell)),
    make("td", { class: "code" }, details),
  );
}

/** Returns the head of rows that the same machine runs. */
const groupRow = (text: string): Node =>
  make("tr", { class: "group" }, make("th", { scope: "rowgroup", colspan: "3" }, text));

const BROWSER_GROUP = "This browser, which runs the program as WebAssembly";

/** Returns the rows of the engine of the browser. */
export function browserRows({ rows }: BrowserJudged, runs: JudgedProgram["runs"]): Node[] {
  return [
    groupRow(`${BROWSER_GROUP}: ${engineName(navigator.userAgent)}`),
    ...rows.map((row) => verdictRow(row, `call ${row.calls}`, detailsOf(row, runs))),
  ];
}

/** Returns the rows of the engine of the browser while it has no verdict. */
export function browserWaits(state: string): Node[] {
  const row = make("tr", { class: "quiet" }, make("td", { colspan: "3" }, state));
  return [groupRow(BROWSER_GROUP), row];
}

/** Returns the name and version of a browser; the whole user agent if it names none. */
function engineName(userAgent: string): string {
  // Browsers also name those with which they are compatible.
  for (const name of ["Edg", "OPR", "Firefox", "Chrome", "Version"]) {
    const [, version] = new RegExp(`${name}/(\\d+)`).exec(userAgent) ?? [];
    if (version !== undefined) return `${name === "Version" ? "Safari" : name} ${version}`;
  }
  return userAgent;
}

/** Returns how many compilations do not agree with the oracle. */
function summaryOf(cells: readonly JudgedCell[]): string {
  const count = (kind: string): number => cells.filter((cell) => kindOf(cell) === kind).length;
  const counts = ["different", "error", "unjudged"].flatMap((kind) =>
    count(kind) === 0 ? [] : `${count(kind)} ${kind}`,
  );
  const all = `${cells.length} compilations`;
  return counts.length === 0 ? `All ${all} are equal.` : `${all}: ${counts.join(", ")}.`;
}

/** The part of a row that its verdict depends on. */
type RunCell = Pick<JudgedCell, "verdicts" | "error">;

function kindOf({ verdicts, error }: RunCell): string {
  if (error !== null) return "error";
  const kinds = new Set(verdicts.map(({ kind }) => kind));
  if (kinds.has("different")) return "different";
  return kinds.has("equal") ? "equal" : "unjudged";
}

function detailsOf({ verdicts, error }: RunCell, runs: JudgedProgram["runs"]): string {
  if (error !== null) return error;
  const lines = verdicts.flatMap(({ kind, detail }, i) =>
    kind === "equal"
      ? []
      : [`line ${runs[i].line}: ${kind === "unjudged" ? "unjudged: " : ""}${detail}`],
  );
  return lines.join("\n");
}

export function phasesView({ phases }: CompiledForms): Node {
  if (phases.length === 0) return make("p", {}, "No phase changed the program.");
  return make("div", {}, ...phases.map(phaseView));
}

function phaseView({ phase, procedure, rules, lines }: PhaseChange): Node {
  const applied = rules.length === 0 ? "" : `: ${rules.join(", ")}`;
  const rows = lines.map((line) =>
    "skipped" in line
      ? make(
          "div",
          { class: "skip" },
          `  ${line.skipped} unchanged line${line.skipped === 1 ? "" : "s"}`,
        )
      : make("div", { class: SIGNS[line.sign] }, `${line.sign} ${line.text}`),
  );
  return make(
    "details",
    { open: "" },
    make("summary", {}, `${phase} of ${procedure}${applied}`),
    scrolling(`difference by ${phase}`, make("div", { class: "code lines" }, ...rows)),
  );
}

const SIGNS = { "+": "added", "-": "removed", " ": "same" } as const;

/**
 * Returns pictures of procedures.
 * @param label names the kind of picture
 */
export function picturesView(pictures: readonly ProcedurePicture[], label: string): Node {
  if (pictures.length === 0) return make("p", {}, "Nothing.");
  const shown = pictures.map(({ procedure, svg }) => {
    const picture = svg === null ? null : pictureOf(svg);
    const drawn = picture ?? make("p", {}, svg === null ? "Too large to draw." : svg);
    return make(
      "div",
      {},
      make("p", { class: "code" }, procedure),
      scrolling(`${label} of ${procedure}`, drawn),
    );
  });
  return make("div", {}, ...shown);
}

const DRAWN: ReadonlySet<string> = new Set("svg g rect text title path defs marker".split(" "));

/** Returns the picture; null if it has parts that no picture has. */
function pictureOf(html: string): Element | null {
  const text = html.slice(html.indexOf("<svg"), html.lastIndexOf("</svg>") + "</svg>".length);
  const { documentElement: root } = new DOMParser().parseFromString(text, "image/svg+xml");
  const isDrawn = [root, ...root.querySelectorAll("*")].every(
    ({ localName, attributes }) =>
      DRAWN.has(localName) && [...attributes].every(({ name }) => !/^on|href/i.test(name)),
  );
  return isDrawn ? document.importNode(root, true) : null;
}

/** Returns a text that keeps its lines. */
export function textView(text: string, label: string): Node {
  if (text === "") return make("p", {}, "Nothing.");
  return scrolling(label, make("pre", {}, text));
}

/** Returns the LIR of procedures. A mark of a value includes the virtual registers that hold it. */
export function lirView(procedures: readonly ProcedureLir[]): Node {
  if (procedures.length === 0) return make("p", {}, "Nothing.");
  const texts = procedures.map(({ text, values }) => {
    const shown = make("pre", {}, text);
    nameRegisters(shown, values);
    return shown;
  });
  return scrolling("allocated LIR", make("div", {}, ...texts));
}

function tableOf(heads: readonly string[], rows: readonly Node[], label: string): HTMLElement {
  const head = make("tr", {}, ...heads.map((text) => make("th", { scope: "col" }, text)));
  const table = make("table", {}, make("thead", {}, head), make("tbody", {}, ...rows));
  return scrolling(label, table);
}

const scrolling = (label: string, child: Node): HTMLElement =>
  make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": label }, child);
