// Signals by which a command is asked to end.

/** Ctrl-C, `kill`, and the end of the terminal. */
export const ENDING_SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** @returns what leaves the signals alone again */
export function onEndingSignals(act: () => void): () => void {
  for (const signal of ENDING_SIGNALS) process.on(signal, act);
  return () => {
    for (const signal of ENDING_SIGNALS) process.off(signal, act);
  };
}
