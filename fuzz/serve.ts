// Implements `fuzz serve`: shows the campaigns of a folder and of a store in a browser, running or
// finished. It answers only this machine, changes nothing, and its pages load and run nothing.

import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { folderPlace } from "../src/campaign/publish/folder-place.js";
import type { CampaignSource } from "../src/campaign/publish/place.js";
import { answer, type HttpResponse } from "../src/campaign/publish/site.js";
import { BUNDLE_MISSING, makePlayground } from "../src/playground/make-page.js";
import { StoreError } from "../src/store/store-error.js";
import { parseStoreName } from "../src/store/store-name.js";
import { reasonOf } from "../src/support/machine-error.js";
import { printAnswer } from "./answers/print-answer.js";
import { parseCount } from "./support/arguments.js";
import { onEndingSignals } from "./support/ending-signals.js";
import { printAside, printLine, STATUS, UserError } from "./support/output.js";
import { queryStore, storeName } from "./support/store.js";
import { StoreReader } from "./support/store-reader.js";

interface ServeArgs {
  readonly reports: string;
  readonly port: string;
  readonly store?: string | undefined;
  readonly json: boolean;
}

const HOST = "127.0.0.1";
const PORT_MAX = 65_535;

export async function run({ reports, port, store, json }: ServeArgs): Promise<number> {
  const portAsked = parseCount("--port", port, 0, PORT_MAX);
  const places = [folderPlace(reports, Date.now)];
  const name = storeName(store);
  const reader = name === null ? null : await openReader(name);
  if (name !== null && reader !== null) {
    const { StoredCampaigns: StorePlace } = await import("../src/store/store-place.js");
    places.push(new StorePlace(parseStoreName(name).shown, reader.ask));
  }
  try {
    await serve(places, portAsked, (actual) => {
      const address = `http://${HOST}:${actual}/`;
      const titles = places.map(({ title }) => title.replace(/^C/, "c"));
      if (json) printAnswer("touchstone.serve", { address, places: titles });
      else printLine(`${titles.join(", ")}: ${address} (Ctrl-C ends it)`);
    });
  } finally {
    await reader?.close();
  }
  return STATUS.nothingFound;
}

/** A store that is missing or refuses cannot be served. */
async function openReader(name: string): Promise<StoreReader> {
  const { CampaignStore: Store } = await import("../src/store/store.js");
  const reader = new StoreReader(() => Store.open(name, false));
  await queryStore(() => reader.ask(async () => {}));
  return reader;
}

/** Serves until a signal ends it. */
async function serve(
  places: readonly CampaignSource[],
  port: number,
  onReady: (port: number) => void,
): Promise<void> {
  const server = createServer((request, response) => respond(places, request, response));
  await new Promise<void>((resolve, reject) => {
    server.on("error", (error) => {
      const isTaken = "code" in error && error.code === "EADDRINUSE";
      const why = isTaken ? "another program uses it; --port 0 takes a free one" : reasonOf(error);
      reject(new UserError(STATUS.missing, `--port ${port}: ${why}`));
    });
    server.listen(port, HOST, resolve);
  });
  const address = server.address();
  onReady(typeof address === "object" && address !== null ? address.port : port);
  let leaveSignals = (): void => {};
  await new Promise<void>((resolve) => {
    leaveSignals = onEndingSignals(resolve);
  });
  leaveSignals();
  server.close();
  server.closeAllConnections();
}

/**
 * Requests with another Host header are refused, so that pages of other hosts cannot read the
 * answers (DNS rebinding).
 */
const OWN_NAME = /^(127\.0\.0\.1|localhost)(:\d+)?$/;

async function respond(
  places: readonly CampaignSource[],
  { method = "", url = "/", headers }: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const isPlayground = PLAYGROUND.test(url) && OWN_NAME.test(headers.host ?? "");
  const { status, type, body, isForeign } = !OWN_NAME.test(headers.host ?? "")
    ? refusal(403, "the request names another host: use the printed address")
    : method !== "GET" && method !== "HEAD"
      ? refusal(405, "only GET requests are answered")
      : isPlayground
        ? playgroundAnswer()
        : await answerTo(places, url);
  // The page of the playground runs scripts, and declares a stricter policy for them itself.
  const usual = isPlayground && status === 200 ? "frame-ancestors 'none'" : POLICY;
  const policy = isForeign ? `${POLICY}; sandbox` : usual;
  response.writeHead(status, {
    ...HEADERS,
    "Content-Security-Policy": policy,
    "Content-Type": type,
  });
  response.end(method === "HEAD" ? undefined : body);
}

/** The page, also at the address to which reports of a campaign link. */
const PLAYGROUND = /^\/(?:playground\/?|[^/]+\/[^/]+\/playground\.html)(?:\?.*)?$/;

function playgroundAnswer(): HttpResponse {
  const page = makePlayground();
  if (page === null) return refusal(503, BUNDLE_MISSING);
  return { status: 200, type: "text/html; charset=utf-8", body: page, isForeign: false };
}

async function answerTo(places: readonly CampaignSource[], url: string): Promise<HttpResponse> {
  try {
    return await answer(places, url);
  } catch (error) {
    if (error instanceof StoreError) return refusal(503, error.message);
    const evidence = error instanceof Error ? error.stack : String(error);
    printAside(`fuzz: internal error: this is a bug in touchstone\n${url}: ${evidence}`);
    return refusal(500, "this page cannot be made: the terminal of fuzz serve shows why");
  }
}

const POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; img-src data:; form-action 'self'; frame-ancestors 'none'; base-uri 'none'";

const HEADERS = {
  "X-Content-Type-Options": "nosniff",
  "Referrer-Policy": "no-referrer",
  "Cache-Control": "no-store",
} as const;

const refusal = (status: number, why: string): HttpResponse => ({
  ...{ status, type: "text/plain; charset=utf-8", body: `${why}\n`, isForeign: false },
});
