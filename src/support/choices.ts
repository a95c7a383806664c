// Records and replays choices: a tree of the structures for which they were drawn.

import { assert } from "./assert.js";
import type { ChoiceSource } from "./source.js";

/** The choices of one structure and the structures in it, in the order in which they were drawn. */
export interface ChoiceSpan {
  readonly name: string;
  readonly items: readonly RecordedChoice[];
}
export type RecordedChoice = number | ChoiceSpan;

interface OpenSpan extends ChoiceSpan {
  readonly items: RecordedChoice[];
}

/** The name of the span around all others. */
const WHOLE = "whole";

/** A source that passes choices through and records them for replay. */
export class RecordingSource implements ChoiceSource {
  private readonly whole: OpenSpan = { name: WHOLE, items: [] };
  private readonly open = [this.whole];
  private readonly inner: ChoiceSource;

  constructor(inner: ChoiceSource) {
    this.inner = inner;
  }

  /** Returns the choices drawn so far. */
  get choices(): ChoiceSpan {
    return this.whole;
  }

  below(count: number): number {
    const choice = this.inner.below(count);
    this.innermost().items.push(choice);
    return choice;
  }

  begin(name: string): void {
    const span = { name, items: [] };
    this.innermost().items.push(span);
    this.open.push(span);
    this.inner.begin(name);
  }

  end(): void {
    assert(this.open.length > 1, () => "end() was called more often than begin()");
    this.open.pop();
    this.inner.end();
  }

  has(name: string): boolean {
    return this.inner.has(name);
  }

  private innermost(): OpenSpan {
    return this.open[this.open.length - 1];
  }
}

interface ReplayPosition {
  readonly span: ChoiceSpan;
  /** The index of the next item to replay in the span. */
  at: number;
  readonly used: RecordedChoice[];
}

/**
 * Replays recorded choices, each in its structure, so that a change of one structure does not affect the others.
 * 1. A number out of range is clamped. If no number comes next, 0 is drawn.
 * 2. A structure is the next one of its name; items before it are skipped. Items that a structure does not use are
 * skipped at its end.
 * 3. A structure that is missing draws zeroes, and skips nothing.
 */
export class ReplaySource implements ChoiceSource {
  private readonly whole: ReplayPosition;
  private readonly open: ReplayPosition[];
  /** The number of open structures that are missing in the recording. */
  private absent = 0;

  constructor(choices: ChoiceSpan) {
    this.whole = { span: choices, at: 0, used: [] };
    this.open = [this.whole];
  }

  /**
   * Returns the choices that were drawn so far, without the skipped ones. They replay to the same result, and are never
   * more.
   */
  get used(): ChoiceSpan {
    return { name: this.whole.span.name, items: this.whole.used };
  }

  below(count: number): number {
    const reading = this.innermost();
    const choice = reading.span.items[reading.at];
    if (this.absent > 0 || typeof choice !== "number") return 0;
    reading.at++;
    const drawn = choice < count ? choice : count - 1;
    reading.used.push(drawn);
    return drawn;
  }

  begin(name: string): void {
    const reading = this.innermost();
    const found = this.absent > 0 ? -1 : nextNamed(reading, name);
    const span = reading.span.items[found];
    if (span === undefined || typeof span === "number") {
      this.absent++;
      return;
    }
    const used: RecordedChoice[] = [];
    reading.at = found + 1;
    reading.used.push({ name, items: used });
    this.open.push({ span, at: 0, used });
  }

  end(): void {
    if (this.absent > 0) {
      this.absent--;
      return;
    }
    assert(this.open.length > 1, () => "end() was called more often than begin()");
    this.open.pop();
  }

  has(name: string): boolean {
    return this.absent === 0 && nextNamed(this.innermost(), name) >= 0;
  }

  private innermost(): ReplayPosition {
    return this.open[this.open.length - 1];
  }
}

/** Returns the index of the next structure of that name; -1 if there is none. */
function nextNamed({ span, at }: ReplayPosition, name: string): number {
  for (let i = at; i < span.items.length; i++) {
    const item = span.items[i];
    if (typeof item !== "number" && item.name === name) return i;
  }
  return -1;
}
