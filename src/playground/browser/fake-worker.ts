// Replaces the worker of the page: by one whose answers contain a text in every field, or by ones that
// hang. The functions run in the page, so they use nothing outside of themselves.
/// <reference lib="dom" />

export function fakeWorker(text: string): void {
  const cell = { target: "x64", level: text, allocator: text, by: text, error: null };
  const verdict = { kind: "different", detail: text };
  const replies: Readonly<Record<string, object>> = {
    lists: {
      ...{
        kind: "lists",
        profiles: [{ name: text, says: text }],
        canaries: [{ name: text, says: text }],
      },
      opcodes: [{ name: text, operands: text, says: text }],
    },
    judge: {
      kind: "judged",
      values: 1,
      runs: [{ line: 1, input: text, outcome: text, floats: [text], failure: text }],
      cells: [
        { ...cell, verdicts: [verdict] },
        { ...cell, verdicts: [], error: text },
      ],
    },
    "judge-browser": {
      kind: "browser",
      rows: [
        { calls: 1, verdicts: [verdict], error: null },
        { calls: 2, verdicts: [], error: text },
      ],
    },
    compile: {
      ...{
        kind: "compiled",
        lir: [{ text, values: { v0: text } }],
        listing: text,
        bytes: text,
        exits: text,
        error: null,
      },
      graphs: [{ procedure: text, svg: `<svg>${text}</svg>` }],
      intervals: [{ procedure: text, svg: `<svg>${text}</svg>` }],
      phases: [{ phase: text, procedure: text, rules: [text], lines: [{ sign: "+", text }] }],
    },
  };
  class Fake {
    onmessage: ((event: { readonly data: unknown }) => void) | null = null;
    postMessage({
      id,
      request,
    }: {
      readonly id: number;
      readonly request: { readonly kind: string };
    }) {
      for (const reply of [replies[request.kind], null]) {
        setTimeout(() => this.onmessage?.({ data: { id, reply } }), 1);
      }
    }
    terminate() {}
  }
  Object.assign(globalThis, { Worker: Fake });
}

/** Replaces the worker by one that never answers requests to the engine of the browser. */
export function hangingEngine(): void {
  class Hanging extends Worker {
    override postMessage(message: { readonly request: { readonly kind: string } }): void {
      if (message.request.kind !== "judge-browser") super.postMessage(message);
    }
  }
  Object.assign(globalThis, { Worker: Hanging });
}

/** Replaces the worker by one that hangs at the third candidate of a reduction; the third worker does not. */
export function hangingCandidates(): void {
  const HANGING = 2;
  class Hanging extends Worker {
    constructor(url: string) {
      super(url);
      let candidates = 0;
      let isHung = false;
      // It is called before the listener of the page.
      this.addEventListener("message", (event) => {
        const { data } = event;
        const { dataset } = document.documentElement;
        if (data.reply?.kind === "tried") candidates++;
        const hung = Number(dataset["hung"] ?? 0);
        if (!isHung && candidates === 3 && hung < HANGING) {
          isHung = true;
          dataset["hung"] = String(hung + 1);
        }
        if (isHung) event.stopImmediatePropagation();
      });
    }
  }
  Object.assign(globalThis, { Worker: Hanging });
}
