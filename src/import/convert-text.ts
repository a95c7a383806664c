// Converts texts to binaries with wabt in a worker thread while the caller waits. A text that
// exceeds its processor time ends the thread.

import {
  MessageChannel,
  type MessagePort,
  receiveMessageOnPort,
  Worker,
} from "node:worker_threads";
import { ImportError } from "./import-error.js";
import { checkDepth } from "./text-depth.js";

export interface ConversionData {
  readonly port: MessagePort;
  /** One word: the number of answers so far. */
  readonly answered: SharedArrayBuffer;
}

export interface ConversionRequest {
  readonly text: Uint8Array;
  readonly features: Readonly<Record<string, boolean>>;
}

export type ConversionAnswer =
  | { readonly kind: "binary"; readonly binary: Uint8Array }
  /** The text is invalid; the message begins with the location. */
  | { readonly kind: "refused"; readonly message: string }
  /** wabt itself failed. */
  | { readonly kind: "failed"; readonly message: string };

/** Seconds of processor time for a text, and for each megabyte of it. */
const SECONDS = 20;
const SECONDS_PER_MEGABYTE = 10;
/** The most waiting periods: a dead thread neither answers nor consumes processor time. */
const IDLE_PERIODS_MAX = 1200;
const PERIOD_MS = 500;
const STACK_MEGABYTES = 64;
const PLACE = /^text:(\d+):(\d+): (?:error: )?/;

interface ConverterThread {
  readonly worker: Worker;
  readonly port: MessagePort;
  readonly answered: Int32Array;
}

export class TextConverter {
  private readonly features: Readonly<Record<string, boolean>>;
  private readonly seconds: number;
  private thread: ConverterThread | null = null;

  /** @param seconds processor time for a small text */
  constructor(features: Readonly<Record<string, boolean>>, seconds = SECONDS) {
    this.features = features;
    this.seconds = seconds;
  }

  /**
   * Returns the binary of a text, which wabt has validated.
   * @param line the line of the file at which the text begins, from 1
   * @throws ImportError with file, line and column
   */
  convert(text: string, file: string, line: number): Uint8Array {
    checkDepth(text, file, line);
    const answer = this.request(new TextEncoder().encode(text));
    if (answer === null)
      throw new ImportError(`${file}:${line}: wabt exceeds its time limit on this text`);
    if (answer.kind === "binary") return answer.binary;
    if (answer.kind === "failed") {
      throw new ImportError(`${file}:${line}: wabt cannot convert this text: ${answer.message}`);
    }
    const [whole = "", inText = "1", column = "1"] = PLACE.exec(answer.message) ?? [];
    const place = `${file}:${line - 1 + Number(inText)}:${column}`;
    throw new ImportError(`${place}: ${answer.message.slice(whole.length)}`);
  }

  /** Returns null and ends the thread if the thread does not answer in time. */
  private request(text: Uint8Array): ConversionAnswer | null {
    this.thread ??= startThread();
    const { worker, port, answered } = this.thread;
    const before = Atomics.load(answered, 0);
    const question: ConversionRequest = { text, features: this.features };
    port.postMessage(question);
    const limit = this.seconds + (SECONDS_PER_MEGABYTE * text.length) / 2 ** 20;
    const start = processorSeconds();
    const wait = Math.min(PERIOD_MS, 1000 * this.seconds);
    for (let period = 0; Atomics.wait(answered, 0, before, wait) === "timed-out"; period++) {
      if (processorSeconds() - start <= limit && period < IDLE_PERIODS_MAX) continue;
      void worker.terminate();
      this.thread = null;
      return null;
    }
    // The worker posts an answer before it increments the count.
    return receiveMessageOnPort(port)?.message ?? null;
  }
}

/**
 * Returns the processor time of this process; while the main thread waits, the conversion consumes
 * it.
 */
function processorSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}

function startThread(): ConverterThread {
  const { port1, port2 } = new MessageChannel();
  const answered = new SharedArrayBuffer(4);
  const workerData: ConversionData = { port: port2, answered };
  const worker = new Worker(new URL("./wabt-worker.js", import.meta.url), {
    workerData,
    transferList: [port2],
    resourceLimits: { stackSizeMb: STACK_MEGABYTES },
  });
  worker.unref();
  port1.unref();
  return { worker, port: port1, answered: new Int32Array(answered) };
}
