// Checks that the names of code on pages exist in the sources, so that a rename reaches the pages.

import test from "ava";
import { type ProjectFiles, pathsBelow, read } from "./project-files.js";
import type { CheckFault } from "./still-open.js";

/** Names without a source: the examples of a new opcode, and an option of the compiler that is off. */
const WITHOUT_SOURCE: ReadonlySet<string> = new Set([...["AverageCeil", "BitClear"]]);
const THIS_FILE = "ci/check-page-names.test.ts";

const FENCED = /^ *```[\s\S]*?^ *```/gm;
const FENCED_CODE = /^ *```ts\n[\s\S]*?^ *```/gm;
/** A name in code quotes, or the name of a called function there. */
const QUOTED = /`([A-Za-z]\w*)(?:\([^`]*\))?`/g;
const QUOTED_CODE = /`[^`\n]+`/g;
const WORD = /[A-Za-z_]\w*/g;
/** A name of several words, in the form of types or functions. */
const SEVERAL_WORDS = /^(?:[A-Z][a-z0-9]+|[a-z]+)[A-Z]\w*$/;
/** A type in an example: a name after a colon or a keyword. */
const TYPE = /(?::|\b(?:implements|extends)) ([A-Z][a-z]\w*)\b/g;
const DECLARATION =
  /^ *(?:export )?(?:abstract )?(?:interface|type|class|const|function) ([A-Za-z]\w*)/gm;
/** Types of the language. */
const BUILT_IN = new Set(["Iterable", "Map", "Promise", "Readonly", "Record", "Set", "String"]);

const firstGroups = (text: string, pattern: RegExp): string[] =>
  [...text.matchAll(pattern)].map(([, name]) => name);

function nameFaults(pages: ProjectFiles, sources: ProjectFiles): CheckFault[] {
  const texts = [...sources.values()];
  const words = new Set(texts.flatMap((text) => text.match(WORD) ?? []));
  const declared = new Set(texts.flatMap((text) => firstGroups(text, DECLARATION)));
  return [...pages].flatMap(([place, text]) => {
    const prose = text.replace(FENCED, "");
    const names = firstGroups(prose, QUOTED)
      .filter((name) => SEVERAL_WORDS.test(name))
      .filter((name) => !words.has(name));
    const code = [...(text.match(FENCED_CODE) ?? []), ...(prose.match(QUOTED_CODE) ?? [])];
    const types = code
      .flatMap((each) => firstGroups(each, TYPE))
      .filter((name) => !declared.has(name) && !BUILT_IN.has(name));
    return [...new Set([...names, ...types])].sort().map((what) => ({ place, what }));
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
  const text = "// A Maker, or its Edit.\nexport class ProcedureMaker { takeExit(): void {} }\n";
  const sources = new Map([["a.ts", text]]);
  const page = "`takeExit(x)` of `(maker: ProcedureMaker) => void`; `Word`\n";
  const example = "   ```ts\n   const f = (maker: ProcedureMaker) => 0;\n   ```\n";
  const faults = (text: string): CheckFault[] => nameFaults(new Map([["p.md", text]]), sources);
  t.deepEqual(faults(page + example), []);
  t.deepEqual(faults(page.replace("takeExit", "leaveExit")), [
    { place: "p.md", what: "leaveExit" },
  ]);
  t.deepEqual(faults(page.replace("ProcedureMaker", "Maker")), [{ place: "p.md", what: "Maker" }]);
  t.deepEqual(faults(example.replace("ProcedureMaker", "Edit")), [{ place: "p.md", what: "Edit" }]);
});
