// Texts to binaries, by wabt in a thread of its own. The caller waits; a text that the thread does not
// convert within its share of the processor ends the thread.

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
  /** One word: the number of answers. */
  readonly answered: SharedArrayBuffer;
}

export interface ConversionQuestion {
  readonly text: Uint8Array;
  readonly features: Readonly<Record<string, boolean>>;
}

export type ConversionAnswer =
  | { readonly kind: "binary"; readonly binary: Uint8Array }
  /** The text is wrong; the message begins with the place. */
  | { readonly kind: "refused"; readonly message: string }
  /** wabt failed inside. */
  | { readonly kind: "failed"; readonly message: string };

/** Seconds of the processor for a text, and for each megabyte of it. */
const SECONDS = 20;
const SECONDS_PER_MEGABYTE = 10;
/** A thread that died does not answer, and takes no processor either. */
const IDLE_PERIODS_MAX = 1200;
const PERIOD_MS = 500;
const STACK_MEGABYTES = 64;
const PLACE = /^text:(\d+):(\d+): (?:error: )?/;

interface Thread {
  readonly worker: Worker;
  readonly port: MessagePort;
  readonly answered: Int32Array;
}

export class TextConverter {
  private readonly features: Readonly<Record<string, boolean>>;
  private readonly seconds: number;
  private thread: Thread | null = null;

  /** @param seconds of the processor that a small text may take */
  constructor(features: Readonly<Record<string, boolean>>, seconds = SECONDS) {
    this.features = features;
    this.seconds = seconds;
  }

  /**
   * Returns the binary of a text, which wabt has validated.
   * @param line where the text begins in its file, from 1
   * @throws ImportError with file, line and column
   */
  convert(text: string, file: string, line: number): Uint8Array {
    checkDepth(text, file, line);
    const answer = this.ask(new TextEncoder().encode(text));
    if (answer === null) throw new ImportError(`${file}:${line}: wabt does not end on this text`);
    if (answer.kind === "binary") return answer.binary;
    if (answer.kind === "failed") {
      throw new ImportError(`${file}:${line}: wabt cannot convert this text: ${answer.message}`);
    }
    const [whole = "", inText = "1", column = "1"] = PLACE.exec(answer.message) ?? [];
    const place = `${file}:${line - 1 + Number(inText)}:${column}`;
    throw new ImportError(`${place}: ${answer.message.slice(whole.length)}`);
  }

  /** Returns null if the thread does not answer; the thread is then ended. */
  private ask(text: Uint8Array): ConversionAnswer | null {
    this.thread ??= startThread();
    const { worker, port, answered } = this.thread;
    const before = Atomics.load(answered, 0);
    const question: ConversionQuestion = { text, features: this.features };
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
    // The worker posts an answer before it counts it.
    return receiveMessageOnPort(port)?.message ?? null;
  }
}

/** Seconds that this process has had: while its main thread waits, those of the conversion. */
function processorSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}

function startThread(): Thread {
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
