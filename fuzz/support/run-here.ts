// For tests: a command line in this process, where no other one has to start.

import { main } from "../main.js";
import { LongWork, type Steps } from "./long-work.js";

export interface Ran {
  readonly status: number;
  /** What went to standard output, and to standard error. */
  readonly out: string;
  readonly error: string;
}

/** Nothing else may print meanwhile: tests that use it are serial. */
export const runHere = (args: readonly string[]): Promise<Ran> => capture(() => main(args));

/** With Ctrl-C as soon as the command takes it. */
export async function runInterrupted(args: readonly string[]): Promise<Ran> {
  const before = process.listenerCount("SIGINT");
  const timer = setInterval(() => {
    if (process.listenerCount("SIGINT") > before) process.emit("SIGINT");
  }, 1);
  try {
    return await runHere(args);
  } finally {
    clearInterval(timer);
  }
}

/** All steps of something long. */
export const wholly = <Result>(steps: Steps<Result>): Promise<Result> => {
  const work = new LongWork(() => "");
  return work.through(steps).finally(() => work.end());
};

/** What is printed by something that gives a status. */
export async function capture(act: () => Promise<number>): Promise<Ran> {
  const { stdout, stderr } = process;
  const [toOut, toError] = [stdout.write, stderr.write];
  let [out, error] = ["", ""];
  stdout.write = (text: string | Uint8Array): boolean => {
    out += text;
    return true;
  };
  stderr.write = (text: string | Uint8Array): boolean => {
    error += text;
    return true;
  };
  try {
    const status = await act();
    return { status, out, error };
  } finally {
    stdout.write = toOut;
    stderr.write = toError;
  }
}
