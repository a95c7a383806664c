// Declares tests that run in real browsers. Each test is declared once for each browser; without the
// browser it is a counted skip, whose title names the package.

import type { ExecutionContext, TestFn } from "ava";
import type { Browser, LaunchOptions, Page } from "puppeteer-core";
import { BROWSERS, type BrowserName, ofBrowser } from "../../engine/browsers/browsers.js";
import { pathOf } from "../../engine/path-of.js";

/** A busy machine takes long for a page. */
export const WAIT_MS = 300_000;

/** A page of a test, with its errors. */
export interface TestPage {
  readonly browser: BrowserName;
  readonly page: Page;
  /** Errors of scripts, and messages of the content security policy. */
  readonly errors: readonly string[];
}

type OpenPage = (address: string, before?: (page: Page) => Promise<void>) => Promise<TestPage>;

/** Starts a browser; the package is one of tests, so they pass it. */
type Launch = (options: LaunchOptions) => Promise<Browser>;

/** Starts a browser at its first page, and ends it after the tests. */
class LazyBrowser {
  private readonly name: BrowserName;
  private readonly path: string;
  private readonly launch: Launch;
  private started: Promise<Browser> | null = null;

  constructor(name: BrowserName, path: string, launch: Launch) {
    this.launch = launch;
    this.name = name;
    this.path = path;
  }

  get browser(): Promise<Browser> {
    this.started ??= this.launch({
      browser: this.name === "chromium" ? "chrome" : this.name,
      executablePath: this.path,
      headless: true,
      args: [...BROWSERS[this.name].flags],
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
  const found = (["chromium", "firefox"] as const).map((name) => {
    const path = pathOf(ofBrowser(name).program);
    return { name, lazy: path === null ? null : new LazyBrowser(name, path, launch) };
  });
  test.after.always("the browsers end", async () => {
    for (const { lazy } of found) await lazy?.close();
  });
  return (title, run) => {
    for (const { name, lazy } of found) {
      if (lazy === null) {
        test.skip(`${name}: ${title}: apt-get install ${BROWSERS[name].package}`, (t) => t.fail());
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
