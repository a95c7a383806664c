// Declares tests that run in real browsers. Each test is declared once for each browser; without the
// browser it is a counted skip, whose title names the package.

import type { ExecutionContext, TestFn } from "ava";
import type { Browser, LaunchOptions, Page } from "puppeteer-core";
import { pathOf } from "../../engine/path-of.js";

/** A busy machine takes long for a page. */
const WAIT_MS = 300_000;

interface TestedBrowser {
  readonly name: "chromium" | "firefox";
  readonly programs: readonly string[];
  readonly kind: "chrome" | "firefox";
  readonly flags: readonly string[];
  readonly package: string;
}

const BROWSERS: readonly TestedBrowser[] = [
  {
    name: "chromium",
    programs: ["chromium", "chromium-browser", "google-chrome"],
    kind: "chrome",
    // As root, Chromium starts only without its sandbox.
    flags: ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"],
    package: "chromium",
  },
  {
    name: "firefox",
    programs: ["firefox-esr", "firefox"],
    kind: "firefox",
    flags: [],
    package: "firefox-esr",
  },
];

/** A page of a test, with its errors. */
export interface TestPage {
  readonly browser: TestedBrowser["name"];
  readonly page: Page;
  /** Errors of scripts, and messages of the content security policy. */
  readonly errors: readonly string[];
}

type OpenPage = (address: string, before?: (page: Page) => Promise<void>) => Promise<TestPage>;

/** Starts a browser; the package is one of tests, so they pass it. */
type Launch = (options: LaunchOptions) => Promise<Browser>;

/** Starts a browser at its first page, and ends it after the tests. */
class LazyBrowser {
  private readonly row: TestedBrowser;
  private readonly path: string;
  private readonly launch: Launch;
  private started: Promise<Browser> | null = null;

  constructor(row: TestedBrowser, path: string, launch: Launch) {
    this.launch = launch;
    this.row = row;
    this.path = path;
  }

  get browser(): Promise<Browser> {
    const { kind, flags } = this.row;
    this.started ??= this.launch({
      browser: kind,
      executablePath: this.path,
      headless: true,
      args: [...flags],
      protocolTimeout: 120_000,
    });
    return this.started;
  }

  async close(): Promise<void> {
    await (await this.started)?.close();
  }
}

/**
 * Returns the function that declares a test for each browser. Tests run one after the other, because
 * a browser slows timers of pages in the background.
 */
export function browserTests(
  test: TestFn,
  launch: Launch,
): (title: string, run: (t: ExecutionContext, open: OpenPage) => Promise<void>) => void {
  const found = BROWSERS.map((row) => {
    const path = row.programs.map(pathOf).find((path) => path !== null) ?? null;
    return { row, lazy: path === null ? null : new LazyBrowser(row, path, launch) };
  });
  test.after.always("the browsers end", async () => {
    for (const { lazy } of found) await lazy?.close();
  });
  return (title, run) => {
    for (const { row, lazy } of found) {
      const { name } = row;
      if (lazy === null) {
        test.skip(`${name}: ${title}: apt-get install ${row.package}`, (t) => t.fail());
        continue;
      }
      test.serial(`${name}: ${title}`, async (t) => {
        const open: OpenPage = async (address, before) => {
          const page = await (await lazy.browser).newPage();
          t.teardown(() => page.close());
          page.setDefaultTimeout(WAIT_MS);
          const errors: string[] = [];
          page.on("pageerror", (error) => errors.push(String(error)));
          page.on("console", (message) => {
            if (message.type() === "error") errors.push(message.text());
          });
          await before?.(page);
          await page.goto(address);
          return { browser: name, page, errors };
        };
        await run(t, open);
      });
    }
  };
}
