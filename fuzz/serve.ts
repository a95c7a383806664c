// `fuzz serve`: the campaigns of a folder in a browser, while they run and afterwards. Only this machine is
// answered, nothing can be changed, and no page loads or runs anything.

import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { type Answer, answer } from "../src/campaign/publish/site.js";
import { parseCount } from "./support/arguments.js";
import { printLine, STATUS, UserError } from "./support/output.js";

interface ServeArgs {
  readonly reports: string;
  readonly port: string;
}

const HOST = "127.0.0.1";
const PORT_MAX = 65_535;

export async function run({ reports, port }: ServeArgs): Promise<number> {
  const asked = parseCount("--port", port, 0, PORT_MAX);
  const server = createServer((request, response) => respond(reports, request, response));
  const actual = await new Promise<number>((resolve, reject) => {
    server.on("error", ({ message }) => {
      reject(new UserError(STATUS.missing, `--port ${port}: ${message}`));
    });
    server.listen(asked, HOST, () => {
      const address = server.address();
      resolve(typeof address === "object" && address !== null ? address.port : asked);
    });
  });
  printLine(`campaigns of ${reports}: http://${HOST}:${actual}/ (Ctrl-C ends it)`);
  await new Promise<void>((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
      process.once(signal, () => resolve());
  });
  server.close();
  server.closeAllConnections();
  return STATUS.nothingFound;
}

/** A page of another host that names this one's address is not answered: its name is another. */
const OWN_NAME = /^(127\.0\.0\.1|localhost)(:\d+)?$/;

function respond(reports: string, request: IncomingMessage, response: ServerResponse): void {
  const { method = "", url = "/", headers } = request;
  const { status, type, body } = !OWN_NAME.test(headers.host ?? "")
    ? refusal(403, "asked by another name")
    : method !== "GET" && method !== "HEAD"
      ? refusal(405, "only GET is answered")
      : answer(reports, url, Date.now());
  response.writeHead(status, { ...HEADERS, "Content-Type": type });
  response.end(method === "HEAD" ? undefined : body);
}

const HEADERS = {
  "Content-Security-Policy":
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
  "X-Content-Type-Options": "nosniff",
  "Referrer-Policy": "no-referrer",
  "Cache-Control": "no-store",
} as const;

const refusal = (status: number, why: string): Answer => ({
  ...{ status, type: "text/plain; charset=utf-8", body: `${why}\n` },
});
