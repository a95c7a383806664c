// Runs a child process that answers lines by lines: one question at a time, so that a failure
// belongs to the current question. The child may die, hang, or write anything; this process
// continues.

import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { excerptOf } from "../compare/crash-message.js";
import {
  destroyPipes,
  endGroup,
  type ProcessCommand,
  spawnBound,
  watchMemory,
  whenEnded,
} from "./bound-process.js";
import { watchTime } from "./time-limit.js";

type LineReply =
  | { readonly kind: "line"; readonly text: string }
  /** It died, did not answer in time, or exceeded the size of a line. */
  | { readonly kind: "crash" | "hang" | "garbage"; readonly evidence: string };

const LINE_MAX = 1 << 29;
/** The limit for the standard error of a child during one question. */
const LOG_MAX = 1 << 22;

export class LineProcess {
  private readonly command: ProcessCommand;
  private readonly memoryMaxKb: number | undefined;
  private readonly lineMax: number;
  private child: ChildProcessWithoutNullStreams | null = null;
  private chunks: string[] = [];
  private size = 0;
  private errors = "";
  /** The way in which the child has ended; null while it runs. */
  private death: string | null = null;
  private wake: () => void = () => {};
  private onErrorOutput: () => void = () => {};

  /**
   * @param memoryMaxKb the usual limit if absent
   * @param lineMax limit of an answer, in characters
   */
  constructor(command: ProcessCommand, memoryMaxKb?: number, lineMax = LINE_MAX) {
    this.command = command;
    this.lineMax = lineMax;
    this.memoryMaxKb = memoryMaxKb;
  }

  get isRunning(): boolean {
    return this.child !== null && this.death === null;
  }

  private get isTooLong(): boolean {
    return this.size > this.lineMax;
  }

  /** The text after the last whole line. */
  get unfinishedLine(): string {
    return this.chunks.join("");
  }

  /** Starts a new child; the reply is its first line. */
  start(timeMs: number): Promise<LineReply> {
    this.stop();
    const child = spawnBound(this.command);
    this.child = child;
    this.chunks = [];
    this.size = 0;
    this.errors = "";
    this.death = null;
    const isOurs = (): boolean => this.child === child;
    child.stdout.setEncoding("utf8");
    child.stdout.on("data", (text: string) => {
      if (!isOurs()) return;
      this.chunks.push(text);
      this.size += text.length;
      if (this.isTooLong) {
        child.stdout.destroy();
        endGroup(child);
      }
      if (text.includes("\n") || this.isTooLong) this.wake();
    });
    child.stderr.setEncoding("utf8");
    child.stderr.on("data", (text: string) => {
      if (isOurs() && this.errors.length < LOG_MAX) this.errors += text;
      this.onErrorOutput();
    });
    child.stdin.on("error", () => {}); // the child has ended, which is reported elsewhere
    const die = (death: string): void => {
      if (!isOurs()) return;
      this.death ??= death;
      this.wake();
    };
    whenEnded(child, (death) => die(death ?? "ended with status 0"));
    return this.reply(timeMs);
  }

  /** Sends a line to a running child; the reply is its answer. */
  ask(line: string, timeMs: number): Promise<LineReply> {
    this.errors = "";
    this.child?.stdin.write(`${line}\n`);
    return this.reply(timeMs);
  }

  /**
   * Returns the standard error since the last question. It may arrive later than the answer, so
   * this waits a short time for the `expected` texts.
   */
  async log(expected: readonly string[], timeMs: number): Promise<string> {
    const isThere = (): boolean => expected.every((text) => this.errors.includes(text));
    if (isThere()) return this.errors;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, timeMs);
      this.onErrorOutput = () => {
        if (!isThere()) return;
        clearTimeout(timer);
        resolve();
      };
    });
    this.onErrorOutput = () => {};
    return this.errors;
  }

  stop(): void {
    const { child } = this;
    this.child = null;
    if (child === null) return;
    endGroup(child);
    destroyPipes(child);
  }

  private async reply(timeMs: number): Promise<LineReply> {
    const { child, memoryMaxKb } = this;
    const greedy = (why: string): void => {
      this.death ??= why;
    };
    const unwatch = child === null ? () => {} : watchMemory(child, greedy, memoryMaxKb);
    const isInTime = await new Promise<boolean>((resolve) => {
      const unlimited = watchTime(child ?? {}, timeMs, () => resolve(false));
      this.wake = () => {
        unlimited();
        resolve(true);
      };
      const hasLine = this.chunks.some((text) => text.includes("\n"));
      if (this.death !== null || this.isTooLong || hasLine) this.wake();
    });
    this.wake = () => {};
    unwatch();
    if (!isInTime) {
      const text = this.unfinishedLine;
      const half = text === "" ? "" : `, only half a line: ${text.slice(0, 200)}`;
      this.stop();
      const evidence = `no answer within ${timeMs} ms${half}${this.writtenErrors()}`;
      return { kind: "hang", evidence };
    }
    if (this.isTooLong) {
      this.stop();
      return { kind: "garbage", evidence: `it wrote a line of more than ${this.lineMax}` };
    }
    const text = this.unfinishedLine;
    const end = text.indexOf("\n");
    if (end >= 0) {
      const rest = text.slice(end + 1);
      this.chunks = rest === "" ? [] : [rest];
      this.size = rest.length;
      if (rest === "") return { kind: "line", text: text.slice(0, end) };
      this.stop();
      return {
        kind: "garbage",
        evidence: `it wrote more than one line: ${excerptOf(rest)}`,
      };
    }
    const { death } = this;
    this.stop();
    const half = text === "" ? "without an answer" : `after half a line: ${text.slice(0, 200)}`;
    return { kind: "crash", evidence: `${death} ${half}${this.writtenErrors()}` };
  }

  private writtenErrors(): string {
    return this.errors === "" ? "" : `; it wrote: ${excerptOf(this.errors)}`;
  }
}
