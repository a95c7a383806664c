// A child process that answers lines by lines: one question at a time, so that whatever becomes of it belongs
// to the question. It may die, hang, or write anything; none of that ends us.

import type { ChildProcessWithoutNullStreams } from "node:child_process";
import {
  type Command,
  destroyPipes,
  endGroup,
  spawnBound,
  watchMemory,
  whenEnded,
} from "./bound-process.js";

type Reply =
  | { readonly kind: "line"; readonly text: string }
  /** It died, did not answer in time, or wrote more than a line has. */
  | { readonly kind: "crash" | "hang" | "garbage"; readonly evidence: string };

const LINE_MAX = 1 << 29;
const EVIDENCE_MAX = 2000;
/** Of what a child says on its standard error for one question. */
const LOG_MAX = 1 << 22;

export class LineProcess {
  private readonly command: Command;
  private readonly memoryMaxKb: number | undefined;
  private readonly lineMax: number;
  private child: ChildProcessWithoutNullStreams | null = null;
  private chunks: string[] = [];
  private size = 0;
  private errors = "";
  /** What became of the child, once it has. */
  private death: string | null = null;
  private wake: () => void = () => {};
  private heard: () => void = () => {};

  /**
   * @param memoryMaxKb a usual bound if not given
   * @param lineMax characters of an answer
   */
  constructor(command: Command, memoryMaxKb?: number, lineMax = LINE_MAX) {
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

  /** Starts a new child; what it says first is the reply. */
  start(timeMs: number): Promise<Reply> {
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
      this.heard();
    });
    child.stdin.on("error", () => {}); // the child is gone: its end says so
    const die = (death: string): void => {
      if (!isOurs()) return;
      this.death ??= death;
      this.wake();
    };
    whenEnded(child, (death) => die(death ?? "ended with status 0"));
    return this.reply(timeMs);
  }

  /** Sends a line to a child that runs; what it answers is the reply. */
  ask(line: string, timeMs: number): Promise<Reply> {
    this.errors = "";
    this.child?.stdin.write(`${line}\n`);
    return this.reply(timeMs);
  }

  /**
   * What it has said on its standard error since the last question. That comes by another way than the
   * answer, perhaps later: so we wait a little for what is `expected` in it.
   */
  async log(expected: readonly string[], timeMs: number): Promise<string> {
    const isThere = (): boolean => expected.every((text) => this.errors.includes(text));
    if (isThere()) return this.errors;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, timeMs);
      this.heard = () => {
        if (!isThere()) return;
        clearTimeout(timer);
        resolve();
      };
    });
    this.heard = () => {};
    return this.errors;
  }

  stop(): void {
    const { child } = this;
    this.child = null;
    if (child === null) return;
    endGroup(child);
    destroyPipes(child);
  }

  private async reply(timeMs: number): Promise<Reply> {
    const { child, memoryMaxKb } = this;
    const greedy = (why: string): void => {
      this.death ??= why;
    };
    const unwatch = child === null ? () => {} : watchMemory(child, greedy, memoryMaxKb);
    const isInTime = await new Promise<boolean>((resolve) => {
      const timer = setTimeout(() => resolve(false), timeMs);
      this.wake = () => {
        clearTimeout(timer);
        resolve(true);
      };
      const hasLine = this.chunks.some((text) => text.includes("\n"));
      if (this.death !== null || this.isTooLong || hasLine) this.wake();
    });
    this.wake = () => {};
    unwatch();
    if (!isInTime) {
      this.stop();
      return { kind: "hang", evidence: `no answer within ${timeMs} ms${this.said()}` };
    }
    if (this.isTooLong) {
      this.stop();
      return { kind: "garbage", evidence: `a line of more than ${this.lineMax}` };
    }
    const text = this.chunks.join("");
    const end = text.indexOf("\n");
    if (end >= 0) {
      const rest = text.slice(end + 1);
      this.chunks = rest === "" ? [] : [rest];
      this.size = rest.length;
      if (rest === "") return { kind: "line", text: text.slice(0, end) };
      this.stop();
      return { kind: "garbage", evidence: `more than one line: ${rest.slice(0, EVIDENCE_MAX)}` };
    }
    const { death } = this;
    this.stop();
    const half = text === "" ? "without an answer" : `after half a line: ${text.slice(0, 200)}`;
    return { kind: "crash", evidence: `${death} ${half}${this.said()}` };
  }

  private said(): string {
    return this.errors === "" ? "" : `; it said: ${this.errors.trim().slice(-EVIDENCE_MAX)}`;
  }
}
