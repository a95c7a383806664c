// Writes the state of the page as the fragment of an address, and reads it. A link is a reproduction.

import { LEVELS } from "../../reference/levels.js";
import { ALLOCATOR_NAMES } from "../../reference/regalloc/allocator-names.js";
import { TARGET_NAMES } from "../../reference/target/target.js";
import {
  type FoundOutcomes,
  type FoundRun,
  LINK_VERSION,
  linkJson,
  type PageState,
} from "../report/page-state.js";

/** The largest text in a link, in bytes: a link is hostile, and compressed. */
const TEXT_MAX = 4 << 20;

/** Returns the fragment, without `#`. */
export async function linkOf(state: PageState): Promise<string> {
  const packed = await through(
    new TextEncoder().encode(linkJson(state)),
    new CompressionStream("deflate-raw"),
    Number.POSITIVE_INFINITY,
  );
  let binary = "";
  for (const byte of packed) binary += String.fromCharCode(byte);
  const base64 = btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
  return `v${LINK_VERSION}.${base64}`;
}

/**
 * Reads a fragment.
 * @throws RangeError with a message for people
 */
export async function stateOf(link: string): Promise<PageState> {
  const [, version, base64] = /^v(\d{1,6})\.([A-Za-z0-9_-]*)$/.exec(link) ?? [];
  if (version === undefined) throw new RangeError("the link is not one of this page");
  if (Number(version) !== LINK_VERSION) {
    throw new RangeError(
      `the link has version ${version}, and this page reads version ${LINK_VERSION}: open it in a page of that version`,
    );
  }
  let state: unknown;
  try {
    const binary = atob(base64.replaceAll("-", "+").replaceAll("_", "/"));
    const packed = Uint8Array.from(binary, (char) => char.charCodeAt(0));
    const json = await through(packed, new DecompressionStream("deflate-raw"), TEXT_MAX);
    state = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(json));
  } catch {
    throw new RangeError("the link is damaged: copy it again, as a whole");
  }
  return checkedState(state);
}

const fieldsOf = (value: unknown): ReadonlyMap<string, unknown> | null =>
  typeof value === "object" && value !== null ? new Map(Object.entries(value)) : null;

function checkedState(state: unknown): PageState {
  const fields = fieldsOf(state);
  const text = fields?.get("text");
  const canary = fields?.get("canary");
  const target = TARGET_NAMES.find((name) => name === fields?.get("target"));
  const level = LEVELS.find((name) => name === fields?.get("level"));
  const allocator = ALLOCATOR_NAMES.find((name) => name === fields?.get("allocator"));
  if (typeof text !== "string" || (canary !== null && typeof canary !== "string")) {
    throw new RangeError("the link contains no program");
  }
  if (target === undefined || level === undefined || allocator === undefined) {
    throw new RangeError("the link names a compilation that this page does not have");
  }
  const shown = { target, level, allocator };
  return { text, canary, shown, found: foundOf(fields), calls: callsOf(fields) };
}

/** The greatest number of calls that a link may request. */
const CALLS_MAX = 100_000;

function callsOf(fields: ReadonlyMap<string, unknown> | null): number | null {
  const calls = fields?.get("calls");
  if (calls === undefined) return null;
  if (typeof calls !== "number" || !Number.isInteger(calls) || calls < 1 || calls > CALLS_MAX) {
    throw new RangeError(`the link requests ${calls} calls; expected 1 to ${CALLS_MAX}`);
  }
  return calls;
}

function foundOf(fields: ReadonlyMap<string, unknown> | null): FoundOutcomes | null {
  const found = fields?.get("found");
  if (found === undefined) return null;
  const subject = fieldsOf(found)?.get("subject");
  const runs = fieldsOf(found)?.get("runs");
  if (typeof subject !== "string" || !Array.isArray(runs)) {
    throw new RangeError("the link contains no outcomes of its finding");
  }
  return { subject, runs: runs.map(foundRun) };
}

function foundRun(run: unknown): FoundRun {
  const fields = fieldsOf(run);
  const [input, expected, got] = ["input", "expected", "got"].map((name) => fields?.get(name));
  if (typeof input !== "string" || typeof expected !== "string" || typeof got !== "string") {
    throw new RangeError("the link contains no outcomes of its finding");
  }
  return { input, expected, got };
}

async function through(
  bytes: Uint8Array<ArrayBuffer>,
  stream: CompressionStream | DecompressionStream,
  sizeMax: number,
): Promise<Uint8Array> {
  const writer = stream.writable.getWriter();
  const written = writer.write(bytes).then(() => writer.close());
  written.catch(() => {}); // the reader reports the fault
  const parts: Uint8Array[] = [];
  let size = 0;
  const reader = stream.readable.getReader();
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    size += part.value.length;
    if (size > sizeMax) throw new RangeError(`more than ${sizeMax} bytes`);
    parts.push(part.value);
  }
  const whole = new Uint8Array(size);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
