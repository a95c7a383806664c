// Reads and uses the page for tests.
/// <reference lib="dom" />

import type { EvaluateFunc, Page } from "puppeteer-core";
import type {} from "../page/program-editor.js";
import { WAIT_MS } from "./browser-test.js";

const EDITOR = "program-editor";
const POLLING_MS = 100;

/**
 * Waits until a function of the page returns a true value, and returns it. `page.waitForFunction` makes functions from
 * text, which the policy of the page forbids in Firefox 140.
 */
export async function waitUntil<Args extends unknown[], Condition extends EvaluateFunc<Args>>(
  page: Page,
  condition: Condition,
  ...args: Args
): Promise<Awaited<ReturnType<Condition>>> {
  const start = performance.now();
  while (performance.now() - start < WAIT_MS) {
    const result = await page.evaluate<Args, Condition>(condition, ...args);
    if (result) return result;
    await new Promise((resolve) => setTimeout(resolve, POLLING_MS));
  }
  throw new Error(`expected within ${WAIT_MS / 1000} s: ${condition}`);
}

interface CountedVerdicts {
  readonly equal: number;
  readonly different: number;
  readonly unjudged: number;
  readonly error: number;
}

export class PlaygroundPage {
  private readonly page: Page;

  constructor(page: Page) {
    this.page = page;
  }

  /** Waits until the page has answered the last change. */
  async done(): Promise<void> {
    await waitUntil(this.page, () => {
      const views = document.getElementById("views");
      return views?.getAttribute("aria-busy") === null && views.dataset["answered"] !== undefined;
    });
  }

  /** Waits until the editor contains another text. */
  async changed(text: string): Promise<void> {
    await waitUntil(
      this.page,
      (old) => document.querySelector("program-editor")?.value !== old,
      text,
    );
  }

  /** Changes the size of the view, in pixels. */
  async resize(width: number, height: number): Promise<void> {
    try {
      await this.page.setViewport({ width, height });
    } catch (error) {
      // Firefox 140 has no orientation; the size is set nevertheless.
      if (!String(error).includes("setScreenOrientationOverride")) throw error;
    }
    await waitUntil(this.page, (wanted) => window.innerWidth === wanted, width);
  }

  text(): Promise<string> {
    return this.page.$eval(EDITOR, (editor) => editor.value);
  }

  /** Replaces the program, as pasting does. */
  async write(text: string): Promise<void> {
    await this.page.$eval(
      EDITOR,
      (editor, text) => {
        editor.focus();
        editor.value = text;
        editor.dispatchEvent(new Event("change"));
      },
      text,
    );
  }

  /** Puts the cursor before the character at that offset. */
  async putCursor(at: number): Promise<void> {
    await this.page.$eval(
      EDITOR,
      (editor, at) => {
        editor.focus();
        editor.cursor = at;
      },
      at,
    );
  }

  /** Requests the completions at the cursor, and returns their text. */
  async completions(): Promise<string> {
    await this.page.keyboard.down("Control");
    await this.page.keyboard.press(" ");
    await this.page.keyboard.up("Control");
    const shown = await waitUntil(this.page, () => {
      const { shadowRoot } = document.querySelector("program-editor") ?? {};
      return shadowRoot?.querySelector(".cm-tooltip-autocomplete [aria-selected]")?.parentElement
        ?.textContent;
    });
    return String(shown);
  }

  /** Returns the number of elements of a kind in the editor. */
  inEditor(selector: string): Promise<number> {
    return this.page.$eval(
      EDITOR,
      ({ shadowRoot }, selector) => shadowRoot?.querySelectorAll(selector).length ?? 0,
      selector,
    );
  }

  cursorLine(): Promise<number> {
    return this.page.$eval(EDITOR, ({ value, cursor }) => {
      return value.slice(0, cursor).split("\n").length;
    });
  }

  faults(): Promise<string[]> {
    return this.page.$$eval("#faults > *", (items) => items.map((item) => item.textContent ?? ""));
  }

  async clickFault(): Promise<void> {
    await this.page.click("#faults button");
  }

  /** Returns the text of a view, also of a closed one. */
  view(id: string): Promise<string> {
    return this.page.$eval(`#${id}`, (element) => element.textContent ?? "");
  }

  /** Returns the verdicts of the engine of the browser, when they are complete. */
  async browserRows(): Promise<string[]> {
    await waitUntil(
      this.page,
      () => document.querySelector("#browser-verdicts tr:not(.quiet, .group)") !== null,
    );
    return this.page.$$eval("#browser-verdicts tr:not(.group)", (rows) =>
      rows.map(({ children: [head, verdict] }) => `${head.textContent}: ${verdict.textContent}`),
    );
  }

  async verdicts(): Promise<CountedVerdicts> {
    const kinds = await this.page.$$eval("#verdicts tbody:not([id]) tr", (rows) =>
      rows.map((row) => row.className),
    );
    const count = (kind: string) => kinds.filter((each) => each === kind).length;
    return {
      equal: count("equal"),
      different: count("different"),
      unjudged: count("unjudged"),
      error: count("error"),
    };
  }

  async select(id: string, value: string): Promise<void> {
    await this.page.select(`#${id}`, value);
  }

  /** Returns all that a link keeps. */
  async state(): Promise<unknown> {
    const choices = await this.page.$$eval("select:not(#examples, #profile)", (items) =>
      items.map((item) => item instanceof HTMLSelectElement && item.value),
    );
    return [await this.text(), ...choices, await this.verdicts()];
  }
}
