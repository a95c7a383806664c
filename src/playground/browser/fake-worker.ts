// Replaces the worker of the page by one whose answers contain a text in every field. The function
// runs in the page, so it uses nothing outside of itself.
/// <reference lib="dom" />

export function fakeWorker(text: string): void {
  const cell = { target: "x64", level: text, allocator: text, by: text, error: null };
  const verdict = { kind: "different", detail: text };
  const replies: Readonly<Record<string, object>> = {
    lists: {
      ...{ kind: "lists", profiles: [text], canaries: [{ name: text, says: text }] },
      opcodes: [{ name: text, operands: text, says: text }],
    },
    judge: {
      kind: "judged",
      values: 1,
      runs: [{ line: 1, input: text, outcome: text, failure: text }],
      cells: [
        { ...cell, verdicts: [verdict] },
        { ...cell, verdicts: [], error: text },
      ],
    },
    compile: {
      ...{ kind: "compiled", lir: text, listing: text, bytes: text, exits: text, error: null },
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
