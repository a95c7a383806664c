// Runs in the worker of the page: answers its requests, one after the other.
/// <reference lib="dom" />

import { answer } from "./answer.js";

self.onmessage = ({ data }) => {
  answer(data.request, (reply) => self.postMessage({ id: data.id, reply }));
  self.postMessage({ id: data.id, reply: null });
};
