// Handles the signals that end a command.

/** Ctrl-C, `kill`, and the end of the terminal. */
export const ENDING_SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** @returns a function that removes the handlers */
export function onEndingSignals(act: () => void): () => void {
  for (const signal of ENDING_SIGNALS) process.on(signal, act);
  return () => {
    for (const signal of ENDING_SIGNALS) process.off(signal, act);
  };
}
