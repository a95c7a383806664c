// Sends requests to the worker. Every request has a time limit; stopping ends the worker, and the
// next request starts another.
/// <reference lib="dom" />

import type { WorkerMessage, WorkerReply, WorkerRequest } from "../protocol.js";

/** How a request ended. */
export type RequestEnding = "done" | "stopped" | "time limit" | "worker failed";

interface PendingRequest {
  readonly id: number;
  readonly startedAt: number;
  readonly onReply: (reply: WorkerReply) => void;
  readonly onEnd: (ending: RequestEnding) => void;
  timer: number;
}

export class WorkerClient {
  private readonly url: string;
  private readonly isWarm: boolean;
  private worker: Worker | null = null;
  private pending: PendingRequest | null = null;
  private count = 0;

  /** @param isWarm a worker at rest prepares for programs, which costs seconds of a processor */
  constructor(script: string, isWarm = false) {
    this.isWarm = isWarm;
    this.url = URL.createObjectURL(new Blob([script], { type: "text/javascript" }));
  }

  /** The time since the running request was sent, in milliseconds; 0 if none runs. */
  get runsFor(): number {
    return this.pending === null ? 0 : performance.now() - this.pending.startedAt;
  }

  get isBusy(): boolean {
    return this.pending !== null;
  }

  /** Sends a request; one that still runs is stopped. */
  send(
    request: WorkerRequest,
    seconds: number,
    onReply: (reply: WorkerReply) => void,
    onEnd: (ending: RequestEnding) => void = () => {},
  ): void {
    this.stop();
    this.worker ??= this.start();
    const id = ++this.count;
    const timer = window.setTimeout(() => this.finish("time limit"), 1000 * seconds);
    this.pending = { id, startedAt: performance.now(), onReply, onEnd, timer };
    this.worker.postMessage({ id, request });
  }

  /** Stops the running request, if there is one. */
  stop(): void {
    if (this.pending !== null) this.finish("stopped");
  }

  /** Lets the running request run for that time from now. */
  extend(seconds: number): void {
    if (this.pending === null) return;
    window.clearTimeout(this.pending.timer);
    this.pending.timer = window.setTimeout(() => this.finish("time limit"), 1000 * seconds);
  }

  /** Ends the worker; the next request starts another. */
  end(): void {
    this.stop();
    this.worker?.terminate();
    this.worker = null;
  }

  private start(): Worker {
    const worker = new Worker(this.url);
    worker.onmessage = ({ data: { id, reply } }) => {
      if (this.pending?.id !== id) return;
      if (reply === null) this.finish("done");
      else this.pending?.onReply(reply);
    };
    worker.onerror = () => this.finish("worker failed");
    if (this.isWarm) {
      worker.postMessage({ id: 0, request: { kind: "warm-up" } } satisfies WorkerMessage);
    }
    return worker;
  }

  private finish(ending: RequestEnding): void {
    const { pending } = this;
    if (ending !== "done") {
      this.worker?.terminate();
      this.worker = null;
    }
    this.pending = null;
    if (pending === null) return;
    window.clearTimeout(pending.timer);
    pending.onEnd(ending);
  }
}
