// Runs command lines in the process of a test, if they need no process of their own.

import { main } from "../main.js";
import { LongWork, type StoppableWork } from "./long-work.js";

export interface CommandOutput {
  readonly status: number;
  /** The texts of standard output and standard error. */
  readonly out: string;
  readonly error: string;
}

/** Nothing else may print at the same time, so tests that use it are serial. */
export const runHere = (args: readonly string[]): Promise<CommandOutput> =>
  capture(() => main(args));

/** Runs a command with a Ctrl-C as soon as the command handles it. */
export const runInterrupted = (args: readonly string[]): Promise<CommandOutput> =>
  interrupted(() => runHere(args));

/** Runs a function with a Ctrl-C as soon as it handles it. */
export async function interrupted(act: () => Promise<CommandOutput>): Promise<CommandOutput> {
  const before = process.listenerCount("SIGINT");
  const timer = setInterval(() => {
    if (process.listenerCount("SIGINT") > before) process.emit("SIGINT");
  }, 1);
  try {
    return await act();
  } finally {
    clearInterval(timer);
  }
}

/** Runs all steps of long work. */
export const wholly = <Result>(steps: StoppableWork<Result>): Promise<Result> => {
  const work = new LongWork(() => "");
  return work.through(steps).finally(() => work.end());
};

/** Captures the output of a function that returns a status. */
export async function capture(act: () => Promise<number>): Promise<CommandOutput> {
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
