// Runs in the worker of the page: answers its requests, one after the other. It warms up while no
// request runs, if the page sets it.
/// <reference lib="dom" />

import { answer } from "./answer.js";
import type { WorkerMessage } from "./protocol.js";
import { warmUp } from "./warm-up.js";

/** The worker is at rest after this time without a request. */
const REST_MILLISECONDS = 700;

let steps: Iterator<void> | null = null;
let timer: ReturnType<typeof setTimeout> | undefined;

function step(): void {
  if (steps === null) return;
  if (steps.next().done === true) steps = null;
  else timer = setTimeout(step, 0);
}

self.onmessage = ({ data: { id, request } }: MessageEvent<WorkerMessage>) => {
  clearTimeout(timer);
  if (request.kind === "warm-up") steps = warmUp();
  else answer(request, (reply) => self.postMessage({ id, reply }));
  self.postMessage({ id, reply: null });
  if (steps !== null) timer = setTimeout(step, REST_MILLISECONDS);
};
