// Checks that the names of code on pages exist in the sources, so that a rename reaches the pages.

import test from "ava";
import { type ProjectFiles, pathsBelow, read } from "./project-files.js";
import type { CheckFault } from "./still-open.js";

/** Names without a source: the examples of a new opcode, and an option of the compiler that is off. */
const WITHOUT_SOURCE: ReadonlySet<string> = new Set([
  ...["AverageCeil", "BitClear"],
  "noUncheckedIndexedAccess",
]);
const THIS_FILE = "ci/check-page-names.test.ts";

const FENCED = /^ *```[\s\S]*?^ *```/gm;
const FENCED_CODE = /^ *```ts\n[\s\S]*?^ *```/gm;
/** A name in code quotes, or the name of a called function there. */
const QUOTED = /`([A-Za-z]\w*)(?:\([^`]*\))?`/g;
const WORD = /[A-Za-z_]\w*/g;
/** A name of several words, in the form of types or functions. */
const SEVERAL_WORDS = /^(?:[A-Z][a-z0-9]+|[a-z]+)[A-Z]\w*$/;
/** A type in an example: a name after a colon or a keyword. */
const TYPE = /(?::|implements|extends|<) ([A-Z][a-z]\w*)\b/g;

function nameFaults(pages: ProjectFiles, sources: ProjectFiles): CheckFault[] {
  const known = new Set([...sources.values()].flatMap((text) => text.match(WORD) ?? []));
  return [...pages].flatMap(([place, text]) => {
    const quoted = [...text.replace(FENCED, "").matchAll(QUOTED)]
      .map(([, name]) => name)
      .filter((name) => SEVERAL_WORDS.test(name));
    const types = (text.match(FENCED_CODE) ?? []).flatMap((code) =>
      [...code.matchAll(TYPE)].map(([, name]) => name),
    );
    const unknown = [...new Set([...quoted, ...types])].filter((name) => !known.has(name));
    return unknown.sort().map((what) => ({ place, what }));
  });
}

test("each name of code on a page occurs in the sources", (t) => {
  const pages = read(pathsBelow(".", /\.md$/).filter((path) => !/^corpus\/known\//.test(path)));
  t.true(pages.size > 100);
  const sources = read([
    ...["src", "reference", "fuzz", "ci"]
      .flatMap((folder) => pathsBelow(folder, /\.m?ts$|\.mjs$/))
      .filter((path) => path !== THIS_FILE),
    ...["package.json", "tsconfig.json", "biome.json"],
  ]);
  const faults = nameFaults(pages, sources);
  t.deepEqual(
    faults.filter(({ what }) => !WITHOUT_SOURCE.has(what)),
    [],
  );
  const unused = [...WITHOUT_SOURCE].filter((name) => !faults.some(({ what }) => what === name));
  t.deepEqual(unused, []);
});

test("planted: a renamed type and a renamed function on a page", (t) => {
  const sources = new Map([["a.ts", "class ProcedureMaker { takeExit(): void {} }"]]);
  const page = "`takeExit(x)` of `ProcedureMaker`; `Word`\n```ts\nf(maker: ProcedureMaker)\n```\n";
  t.deepEqual(nameFaults(new Map([["p.md", page]]), sources), []);
  const renamed = page.replace("takeExit", "leaveExit").replace(": ProcedureMaker", ": Maker");
  t.deepEqual(nameFaults(new Map([["p.md", renamed]]), sources), [
    { place: "p.md", what: "Maker" },
    { place: "p.md", what: "leaveExit" },
  ]);
});
