// Runs a script in a browser as the shell of an engine does: `readline`, `print` and `printErr` are
// lines of this process. A worker runs the script, and each of these is a request that it waits for.
//
//   node browser-shell.js BROWSER PROGRAM [FLAG...] SCRIPT
//
// The process ends when its input ends, or with status 1 when the script throws or the page dies. In
// all cases, also if it is killed, its browser ends and the profile is removed.

import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, writeFileSync, writeSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { GroupCleaner } from "../../support/group-cleaner.js";
import { BROWSERS, type BrowserName } from "./browsers.js";

/** The connection of `/alive` ends with the page, which reads and drops its data. */
const PAGE = `<!doctype html><title>Touchstone</title><script>
const fail = (message) => fetch("/failed", { method: "POST", body: message });
new Worker("/worker.js").onerror = (event) => fail(event.message);
fetch("/alive").then(async ({ body }) => {
  for (const reader = body.getReader(); !(await reader.read()).done; );
});
</script>`;

/** Precedes the script. In Firefox, it adds the function that reports a compiler. */
const SHELL = `{
  const ask = (path, text) => {
    const request = new XMLHttpRequest();
    request.open("POST", path, false);
    request.send(text);
    return request.responseText;
  };
  globalThis.readline = () => ask("/readline", "");
  globalThis.print = (text) => void ask("/print", text);
  globalThis.printErr = (text) => void ask("/print-error", text);
  if (typeof getJSTestingFunctions === "function") {
    globalThis.wasmFunctionTier = getJSTestingFunctions().wasmFunctionTier;
  }
}
`;

/** Firefox 140 closes the connection of a dead page only after some kilobytes of data. */
const ALIVE_BYTES = 4096;
const ALIVE_MS = 1000;
const TYPES = { html: "text/html", js: "text/javascript", text: "text/plain" };

function main([name, program, ...words]: readonly string[]): void {
  const flags = words.slice(0, -1);
  const script = readFileSync(words[words.length - 1], "utf8");
  const { start } = BROWSERS[name as BrowserName]; // the border to the command line
  const profile = mkdtempSync(join(tmpdir(), "touchstone-profile-"));
  const cleaner = new GroupCleaner(profile);
  const { args, env, preferences } = start(flags, profile);
  if (preferences !== "") writeFileSync(join(profile, "user.js"), preferences);
  const server = createServer((request, response) => void answer(request, response));
  server.requestTimeout = 0;
  server.listen(0, "127.0.0.1", () => {
    const { port } = server.address() as AddressInfo; // a port, not a pipe
    const browser = spawn(program, [...args, `http://127.0.0.1:${port}/`], {
      env: { PATH: process.env["PATH"] ?? "", HOME: profile, TMPDIR: profile, ...env },
      detached: true, // the cleaner ends its group
      stdio: ["ignore", "ignore", "inherit"],
    });
    cleaner.enlist(browser);
    browser.on("error", ({ message }) => fail(`${program} could not be started: ${message}`));
    browser.on("exit", (status, signal) => fail(`${program} ended: ${signal ?? status}`));
  });

  const lines: string[] = [];
  let isEnded = false;
  let wake: () => void = () => {};
  const input = createInterface({ input: process.stdin });
  input.on("line", (line) => {
    lines.push(line);
    wake();
  });
  input.on("close", () => {
    isEnded = true;
    wake();
  });
  async function nextLine(): Promise<string> {
    while (lines.length === 0 && !isEnded) {
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
    const line = lines.shift();
    if (line === undefined) process.exit(0);
    return line;
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const send = (type: string, text: string): void => {
      response.setHeader("content-type", `${type}; charset=utf-8`).end(text);
    };
    switch (request.url) {
      case "/":
        return send(TYPES.html, PAGE);
      case "/worker.js": // not a module: it exports nothing
        return send(TYPES.js, SHELL + script.split("\nexport {")[0]);
      case "/alive":
        response.on("close", () => fail("the page died"));
        setInterval(() => response.write(" ".repeat(ALIVE_BYTES)), ALIVE_MS);
        return;
      case "/readline":
        return send(TYPES.text, await nextLine());
      case "/print":
        writeAll(1, `${await bodyOf(request)}\n`);
        return send(TYPES.text, "");
      case "/print-error":
        writeAll(2, `${await bodyOf(request)}\n`);
        return send(TYPES.text, "");
      case "/failed":
        return fail(await bodyOf(request));
      default:
        response.statusCode = 404;
        response.end();
    }
  }
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString("utf8");
}

function fail(message: string): never {
  writeAll(2, `${message}\n`);
  process.exit(1);
}

/** Writes before this process ends. */
function writeAll(stream: number, text: string): void {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; ) at += writeSync(stream, bytes, at);
}

main(process.argv.slice(2));
