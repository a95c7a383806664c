// Runs in the page: fuzzes the engine of the browser with several workers, and shows and reduces
// what it finds.
/// <reference lib="dom" />

import type { BrowserDifference, FuzzedProgram } from "../protocol.js";
import { button, byId, make } from "./elements.js";
import { type RequestEnding, WorkerClient } from "./worker-client.js";

const REDUCE_SECONDS = 120;
/** A candidate runs for this long, or this many times as long as the program that is reduced. */
const CANDIDATE_SECONDS = 2;
const CANDIDATE_FACTOR = 4;
const BATCH = 25;
/** Further programs that differ are counted, and their programs are not kept. */
const KEPT_MAX = 50;
/** A finding is reduced if no more than this are waiting. */
const WAITING_MAX = 20;

interface Settings {
  readonly profile: string;
  readonly first: bigint;
  readonly count: number;
  readonly rounds: number;
  readonly workers: number;
  readonly hangSeconds: number;
  readonly isBroken: boolean;
}

type OpenProgram = (text: string, rounds: number) => void;

/** A program that differs, or that does not end. */
interface BrowserFinding {
  readonly kind: "difference" | "hang" | "crash";
  readonly seed: string;
  readonly settings: Settings;
  /** The program as found; null for a program that does not end. */
  readonly found: BrowserDifference | null;
  reduced: BrowserDifference | null;
  state: "waiting" | "reducing" | "reduced" | "not reduced";
  /** The number of findings with the same aspect and opcodes, this one included. */
  instances: number;
}

/** The file that `fuzz report` and `fuzz reduce` read. */
const fileOf = ({ kind, seed, settings, found, reduced }: BrowserFinding): object => ({
  schema: "touchstone.browser-finding",
  version: 1,
  kind,
  engine: navigator.userAgent,
  seed,
  profile: settings.profile,
  rounds: settings.rounds,
  broken: settings.isBroken,
  aspect: found?.aspect ?? null,
  detail: (reduced ?? found)?.detail ?? "",
  program: (reduced ?? found)?.text ?? null,
  original: found?.text ?? null,
});

/** The campaign of one click on Start. */
class BrowserCampaign {
  readonly settings: Settings;
  private readonly script: string;
  private readonly clients: WorkerClient[] = [];
  private readonly reducer: WorkerClient;
  private readonly onChange: () => void;
  private readonly startedAt = performance.now();
  private next = 0;
  private running = 0;
  private isStopped = false;
  private isEnough = false;
  seconds = 0;
  programs = 0;
  equal = 0;
  /** The number of unjudged executions by reason. */
  readonly unjudged = new Map<string, number>();
  different = 0;
  readonly findings: BrowserFinding[] = [];
  private reducing = false;

  constructor(script: string, settings: Settings, onChange: () => void) {
    this.script = script;
    this.settings = settings;
    this.onChange = onChange;
    this.reducer = new WorkerClient(script);
  }

  get isRunning(): boolean {
    return this.running > 0 || this.reducing;
  }

  start(): void {
    for (let w = 0; w < this.settings.workers; w++) {
      const client = new WorkerClient(this.script);
      this.clients.push(client);
      this.running++;
      this.give(client);
    }
  }

  stop(): void {
    this.isStopped = true;
    for (const client of this.clients) client.stop();
    this.reducer.stop();
  }

  /** Gives the next seeds to a worker. */
  private give(client: WorkerClient): void {
    const { first, count } = this.settings;
    const size = Math.min(BATCH, count - this.next);
    if (this.isStopped || this.isEnough || size <= 0) {
      this.running--;
      client.end();
      this.onChange();
      return;
    }
    const start = first + BigInt(this.next);
    this.next += size;
    this.run(client, start, size);
  }

  private run(client: WorkerClient, start: bigint, size: number): void {
    const { profile, rounds, isBroken, hangSeconds } = this.settings;
    let done = 0;
    const request = { kind: "fuzz", profile, rounds, isBroken } as const;
    client.send(
      { ...request, first: String(BigInt.asUintN(64, start)), count: size },
      hangSeconds,
      (reply) => {
        if (reply.kind === "fault") this.keep("crash", start + BigInt(done), null);
        if (reply.kind !== "fuzzed") return;
        done++;
        client.extend(hangSeconds);
        this.count(reply);
      },
      (ending) => {
        const isAtFault = ending === "time limit" || ending === "worker failed";
        if (isAtFault) this.keepUnended(ending, start + BigInt(done));
        // A fault ends the batch; the program after it is next.
        const left = size - done - 1;
        if (done < size && left > 0 && !this.isStopped && !this.isEnough) {
          this.run(client, start + BigInt(done + 1), left);
        } else this.give(client);
      },
    );
  }

  private count({ seed, equal, unjudged, difference }: FuzzedProgram): void {
    this.programs++;
    this.equal += equal;
    for (const reason of unjudged) {
      this.unjudged.set(reason, (this.unjudged.get(reason) ?? 0) + 1);
    }
    this.seconds = (performance.now() - this.startedAt) / 1000;
    if (difference !== null) {
      this.different++;
      this.keep("difference", BigInt(seed), difference);
    }
    this.onChange();
  }

  private keepUnended(ending: RequestEnding, seed: bigint): void {
    this.programs++;
    this.keep(ending === "time limit" ? "hang" : "crash", seed, null);
    this.onChange();
  }

  private keep(kind: BrowserFinding["kind"], seed: bigint, found: BrowserDifference | null): void {
    if (this.findings.length >= KEPT_MAX) return;
    const waiting = this.findings.filter(({ state }) => state === "waiting").length;
    const state = found !== null && waiting < WAITING_MAX ? "waiting" : "not reduced";
    const { settings } = this;
    this.findings.push({
      ...{ kind, seed: String(BigInt.asUintN(64, seed)), settings },
      ...{ found, reduced: null, state, instances: 1 },
    });
    // A planted fault is found: more programs would show the same.
    if (settings.isBroken && found !== null) {
      this.isEnough = true;
      for (const client of this.clients) client.stop();
    }
    this.reduceNext();
  }

  private reduceNext(): void {
    const finding = this.findings.find(({ state }) => state === "waiting");
    if (finding === undefined || this.reducing || this.isStopped) return;
    this.reducing = true;
    finding.state = "reducing";
    this.reduce(finding, [], performance.now() + 1000 * REDUCE_SECONDS);
  }

  /**
   * Reduces a finding. If the run of a candidate does not end, its worker is stopped, and another one
   * continues without the candidates that were tried since the last smaller program.
   */
  private reduce(finding: BrowserFinding, tried: string[], endsAt: number): void {
    const { profile, rounds, isBroken } = this.settings;
    const { seed, reduced } = finding;
    const secondsLeft = (): number => (endsAt - performance.now()) / 1000;
    let isRunningCandidate = false;
    this.reducer.send(
      {
        ...{ kind: "reduce-found", profile, rounds, isBroken, seed },
        ...{ text: reduced?.text ?? null, rejected: tried },
      },
      secondsLeft(),
      (reply) => {
        if (reply.kind === "tried") {
          isRunningCandidate = true;
          tried.push(reply.candidate);
          const usual = (CANDIDATE_FACTOR * reply.usualMilliseconds) / 1000;
          this.reducer.extend(Math.min(secondsLeft(), Math.max(CANDIDATE_SECONDS, usual)));
        }
        if (reply.kind !== "reduced-found") return;
        tried.length = 0;
        finding.reduced = reply.difference;
        if (reply.isComplete) finding.state = "reduced";
        this.onChange();
      },
      (ending) => {
        if (ending === "time limit" && isRunningCandidate && secondsLeft() > 0) {
          return this.reduce(finding, tried, endsAt);
        }
        this.reducing = false;
        if (finding.state !== "reduced") finding.state = "not reduced";
        this.merge(finding);
        this.reduceNext();
        this.onChange();
      },
    );
  }

  /** Joins a reduced finding to one with the same aspect and opcodes. */
  private merge(finding: BrowserFinding): void {
    const { reduced } = finding;
    if (reduced === null || reduced.outline === null) return;
    const same = this.findings.find(
      (other) =>
        other !== finding &&
        other.state === "reduced" &&
        other.reduced?.aspect === reduced.aspect &&
        other.reduced.outline === reduced.outline,
    );
    if (same === undefined) return;
    same.instances++;
    this.findings.splice(this.findings.indexOf(finding), 1);
  }
}

const NUMBERS = {
  "fuzz-first": [0n, (1n << 64n) - 1n],
  "fuzz-count": [1n, 1_000_000n],
  "fuzz-rounds": [1n, 100_000n],
  "fuzz-workers": [1n, 64n],
  "fuzz-hang": [1n, 3600n],
} as const;

/** @throws RangeError with a message for people */
function numberIn(id: keyof typeof NUMBERS): bigint {
  const input = byId(id, HTMLInputElement);
  const [min, max] = NUMBERS[id];
  const text = input.value.trim();
  const value = /^\d{1,20}$/.test(text) ? BigInt(text) : -1n;
  if (value >= min && value <= max) return value;
  input.focus();
  const label = input.labels?.[0]?.textContent?.trim() ?? id;
  throw new RangeError(`${label}: expected a number from ${min} to ${max}`);
}

function settingsOfPage(): Settings {
  return {
    profile: byId("fuzz-profile", HTMLSelectElement).value,
    first: numberIn("fuzz-first"),
    count: Number(numberIn("fuzz-count")),
    rounds: Number(numberIn("fuzz-rounds")),
    workers: Number(numberIn("fuzz-workers")),
    hangSeconds: Number(numberIn("fuzz-hang")),
    isBroken: byId("fuzz-broken", HTMLInputElement).checked,
  };
}

/**
 * Makes the tab work.
 * @param script the script of the workers
 * @param openProgram shows a program in the editor, and runs it as often
 */
export function setUpFuzzing(script: string, openProgram: OpenProgram): void {
  const start = byId("fuzz-start", HTMLButtonElement);
  const stop = byId("fuzz-stop", HTMLButtonElement);
  const status = byId("fuzz-status", HTMLElement);
  let campaign: BrowserCampaign | null = null;
  let frame = 0;
  byId("fuzz-engine", HTMLElement).textContent = navigator.userAgent;
  byId("fuzz-workers", HTMLInputElement).value = String(navigator.hardwareConcurrency ?? 1);
  const show = (): void => {
    frame = 0;
    if (campaign !== null) showCampaign(campaign, openProgram);
    const isRunning = campaign?.isRunning === true;
    start.disabled = isRunning;
    stop.disabled = !isRunning;
  };
  const onChange = (): void => {
    // Several workers answer hundreds of times a second.
    if (frame === 0) frame = window.setTimeout(show, 100);
  };
  start.addEventListener("click", () => {
    try {
      campaign = new BrowserCampaign(script, settingsOfPage(), onChange);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      status.textContent = error.message;
      return;
    }
    campaign.start();
    show();
    stop.focus();
  });
  stop.addEventListener("click", () => {
    campaign?.stop();
    show();
    start.focus();
  });
}

function showCampaign(campaign: BrowserCampaign, openProgram: OpenProgram): void {
  const { programs, equal, unjudged, different, findings, seconds, settings } = campaign;
  const hung = findings.filter(({ kind }) => kind !== "difference").length;
  const rate = seconds === 0 ? 0 : programs / seconds;
  const state = campaign.isRunning ? "Running" : "Ended";
  byId("fuzz-status", HTMLElement).textContent =
    `${state}: ${programs} of ${settings.count} programs, ${different} different, ${hung} without an end.`;
  const figures: readonly (readonly [string, string])[] = [
    ["programs", String(programs)],
    ["programs a second", rate.toFixed(rate < 10 ? 1 : 0)],
    ["equal executions", String(equal)],
    ...[...unjudged].map(
      ([reason, count]) => [`unjudged executions: ${reason}`, String(count)] as const,
    ),
    ["different programs", String(different)],
    ["programs without an end", String(hung)],
  ];
  const terms = figures.flatMap(([term, text]) => [make("dt", {}, term), make("dd", {}, text)]);
  byId("fuzz-figures", HTMLElement).replaceChildren(make("dl", {}, ...terms));
  byId("fuzz-findings", HTMLElement).replaceChildren(
    ...findings.map((finding) => findingView(finding, openProgram)),
  );
}

function findingView(finding: BrowserFinding, openProgram: OpenProgram): Node {
  const { kind, seed, found, reduced, state, instances } = finding;
  const shown = reduced ?? found;
  const before = found === null || shown === found ? "" : `${found.values} → `;
  const size = shown === null ? "" : `, ${before}${shown.values} values`;
  const times = instances === 1 ? "" : `, ${instances} times`;
  const parts: Node[] = [make("h3", {}, `${kind}, seed ${seed}: ${state}${size}${times}`)];
  if (shown !== null) {
    parts.push(
      make("p", { class: "code" }, `${shown.input}: ${shown.detail}`),
      make("pre", { tabindex: "0", "aria-label": `program of seed ${seed}` }, shown.text),
      button("Open in the editor", () => openProgram(shown.text, finding.settings.rounds)),
    );
  }
  parts.push(button("Save as JSON", () => save(finding)));
  return make("article", { "data-state": state }, ...parts);
}

function save(finding: BrowserFinding): void {
  const text = `${JSON.stringify(fileOf(finding), null, 2)}\n`;
  const url = URL.createObjectURL(new Blob([text], { type: "application/json" }));
  const link = make("a", { href: url, download: `browser-${finding.seed}.json` });
  link.click();
  window.setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
