// Opens the quick form of `traced-*`. The subject replays each trace run of a transcript from the
// recorded state, and must produce the recorded outcome.
// 1. If an exit is linked, the code continues in the next trace. It must then end as the last of
//    the passed steps, with the events of all of them.
// 2. An exit is linked only if a later step takes it before the next unlinking. Other links have no
//    effect.
// 3. If anything differs, the subject repeats the whole execution, with the interpreter between the
//    traces. Only that result counts, so the machine for the steps need not be exact.
// 4. The same code on the same state does the same. It runs once, and again only after exits were
//    linked or unlinked.

import type { CalleeExit, Ending, HostEvent, Input, Outcome } from "../ir/outcome.js";
import type { RecordedTrace, TraceExit } from "../record/recorded-trace.js";
import { addCounts, noCounts, type TraceCounts } from "../record/trace-counts.js";
import type { TraceRunner } from "../record/trace-runner.js";
import { JUNK } from "../record/tracing-machine.js";
import type { JunkRun } from "./machine/junk.js";
import type { SubjectOpener } from "./reference-subject.js";
import type {
  CompiledCodeCounts,
  OpenLocalSubject,
  PreparedProgram,
  TraceCode,
} from "./subject.js";
import { codeCountsOf, openTraced, traceCodeOf } from "./traced-subject.js";
import type { TraceStep, Transcript, TranscriptStep } from "./transcript.js";
import type { CompilationUnit } from "./unit.js";
import type { OutcomeTest } from "./workshop.js";

/**
 * @param open opens the subject for the repeated execution
 * @param openSteps opens the subject for the steps of a transcript
 */
export const openReplayed =
  (open: SubjectOpener, openSteps: SubjectOpener): SubjectOpener =>
  (subject, workshop) => {
    const inner = openSteps(subject, workshop);
    let exact: OpenLocalSubject | null = null;
    const openExact = (): OpenLocalSubject => {
      exact ??= openTraced(open)(subject, { ...workshop, isQuick: false });
      return exact;
    };
    return {
      poisons: inner.poisons,
      prepare: (unit) => {
        const prepareExact = (): PreparedProgram => openExact().prepare(unit);
        return new ReplayedProgram({ unit, inner, prepareExact, agree: workshop.agree });
      },
      discardMachine: () => inner.discardMachine(),
      close: () => {
        inner.close();
        exact?.close();
      },
    };
  };

interface ReplayOptions {
  readonly unit: CompilationUnit;
  readonly inner: OpenLocalSubject;
  readonly prepareExact: () => PreparedProgram;
  readonly agree: OutcomeTest;
}

class ReplayedProgram implements PreparedProgram {
  readonly poisons: readonly JunkRun[];
  private readonly unit: CompilationUnit;
  private readonly code: TraceCode;
  private readonly inner: OpenLocalSubject;
  private readonly prepareExact: () => PreparedProgram;
  private readonly agree: OutcomeTest;
  private readonly traced: TraceCounts = noCounts();
  private exact: PreparedProgram | null = null;

  constructor({ unit, inner, prepareExact, agree }: ReplayOptions) {
    this.unit = unit;
    this.poisons = inner.poisons;
    this.inner = inner;
    this.code = traceCodeOf(unit, inner);
    this.prepareExact = prepareExact;
    this.agree = agree;
  }

  readonly run = (input: Input, poison: JunkRun, fuelUsed: number, fuelMax: number): Outcome => {
    const transcript = this.unit.transcripts.of(input, fuelUsed);
    if (transcript !== null) {
      const counts = { ...transcript.counts };
      const runner = this.code.begin({ poison, fuelUsed, fuelMax });
      if (new TranscriptReplay(transcript, runner, counts, this.agree).agrees()) {
        addCounts(this.traced, counts);
        return transcript.outcome;
      }
      this.inner.discardMachine();
    }
    this.exact ??= this.prepareExact();
    return this.exact.run(input, poison, fuelUsed, fuelMax);
  };

  get counts(): CompiledCodeCounts {
    const whole = noCounts();
    addCounts(whole, this.traced);
    if (this.exact?.counts?.traces !== undefined) addCounts(whole, this.exact.counts.traces);
    return codeCountsOf(this.code.counts, whole);
  }
}

/** The replay of one transcript by one subject. */
class TranscriptReplay {
  private readonly steps: readonly TranscriptStep[];
  private readonly runner: TraceRunner;
  /**
   * Starts with the counts of the transcript, which has no links; ends with those of the subject.
   */
  private readonly counts: TraceCounts;
  private readonly links = new Map<TraceExit, RecordedTrace>();
  private readonly agree: OutcomeTest;
  /** The first step of each state that the present code has run. */
  private readonly executed = new Set<TraceStep>();
  private heap = new Uint8Array(0);

  constructor({ steps }: Transcript, runner: TraceRunner, counts: TraceCounts, agree: OutcomeTest) {
    this.steps = steps;
    this.runner = runner;
    this.counts = counts;
    this.agree = agree;
  }

  agrees(): boolean {
    const { steps } = this;
    for (let s = 0; s < steps.length; s++) {
      const step = steps[s];
      if (step.kind === "unlink") this.unlink();
      else if (step.kind === "link") this.link(s, step.exit, step.from, step.to);
      else {
        const last = this.lastOf(s);
        if (!this.replaysStep(step, this.passed(s, last))) return false;
        s = last;
      }
    }
    return true;
  }

  /** Links the exit if a later step takes it (rule 2). */
  private link(s: number, exit: TraceExit, from: RecordedTrace, to: RecordedTrace): void {
    const { steps, runner, counts, links } = this;
    for (let t = s + 1; t < steps.length && steps[t].kind !== "unlink"; t++) {
      if (!leadsTo(steps[t], exit, steps[t + 1], to)) continue;
      if (runner.link?.(from, exit, to) !== true) return;
      counts.patched++;
      links.set(exit, to);
      this.executed.clear();
      return;
    }
  }

  private unlink(): void {
    this.runner.unlink?.();
    this.links.clear();
    this.executed.clear();
  }

  /** Returns the step in which code ends that begins with step `s` (rule 1). */
  private lastOf(s: number): number {
    const { steps, links } = this;
    for (let last = s; ; last++) {
      const step = steps[last];
      const to = step.kind === "run" && step.exit !== null ? links.get(step.exit) : undefined;
      if (step.kind !== "run" || step.exit === null || to === undefined) return last;
      if (leadsTo(step, step.exit, steps[last + 1], to)) continue;
      // The machine discarded its traces when this exit was taken.
      this.unlink();
      return s;
    }
  }

  private passed(first: number, last: number): readonly TraceStep[] {
    const { steps, counts } = this;
    const passed = steps.slice(first, last + 1).filter((step) => step.kind === "run");
    for (const { exit } of passed.slice(0, -1)) {
      counts.entries--;
      counts.linked--;
      if (exit?.kind === "link") counts.exits--;
    }
    if (passed[0].trace !== passed[passed.length - 1].trace) counts.crossed++;
    return passed;
  }

  private replaysStep(step: TraceStep, passed: readonly TraceStep[]): boolean {
    // Rule 4.
    const first = step.first ?? step;
    if (this.executed.has(first)) return true;
    this.executed.add(first);
    const expected = joined(passed.map(({ outcome }) => outcome));
    const { trace, words } = step;
    if (this.heap.length !== step.heap.length) this.heap = new Uint8Array(step.heap.length);
    this.heap.set(step.heap);
    const { outcome } = this.runner.run(trace, words, this.heap);
    return this.agree(expected, outcome);
  }
}

/** Returns true if this step took the exit and the next one runs the trace. */
function leadsTo(
  step: TranscriptStep,
  exit: TraceExit,
  next: TranscriptStep | undefined,
  to: RecordedTrace,
): boolean {
  return step.kind === "run" && step.exit === exit && next?.kind === "run" && next.trace === to;
}

/**
 * Returns the outcome of code that does all these steps in one run. It has the last ending, and no
 * volatile loads or fences.
 */
function joined(outcomes: readonly Outcome[]): Outcome {
  if (outcomes.length === 1) return outcomes[0];
  const ending = endingOf(outcomes);
  const events: HostEvent[] = [];
  const calleeExits: CalleeExit[] = [];
  for (const outcome of outcomes) {
    for (const { after, ending: left } of outcome.calleeExits ?? []) {
      calleeExits.push({ after: events.length + after, ending: left });
    }
    events.push(...outcome.events);
  }
  return { events, ending, ...(calleeExits.length === 0 ? {} : { calleeExits }) };
}

/**
 * Returns the last ending. It also masks bytes that were dead at an earlier exit and are not
 * written since.
 */
function endingOf(outcomes: readonly Outcome[]): Ending {
  const { ending } = outcomes[outcomes.length - 1];
  if (ending.kind !== "exit") return ending;
  const { bytes, masked } = ending.heap;
  const isMasked = new Uint8Array(bytes.length);
  const mask = (at: number, size: number): void => {
    isMasked.fill(1, at, at + size);
  };
  eachPair(masked, mask);
  for (const { ending: passed } of outcomes.slice(0, -1)) {
    if (passed.kind !== "exit") continue;
    eachPair(passed.heap.masked, (at, size) => {
      for (let i = at; i < at + size; i++) if (bytes[i] === JUNK) isMasked[i] = 1;
    });
  }
  return { ...ending, heap: { ...ending.heap, masked: pairsOf(isMasked) } };
}

function eachPair(pairs: readonly number[], each: (at: number, size: number) => void): void {
  for (let i = 0; i < pairs.length; i += 2) each(pairs[i], pairs[i + 1]);
}

/** Returns the offset and the size of each run of bytes that are not 0. */
function pairsOf(bytes: Uint8Array): number[] {
  const pairs: number[] = [];
  for (let begin = bytes.indexOf(1); begin >= 0; ) {
    const end = bytes.indexOf(0, begin);
    pairs.push(begin, (end < 0 ? bytes.length : end) - begin);
    begin = end < 0 ? -1 : bytes.indexOf(1, end);
  }
  return pairs;
}
