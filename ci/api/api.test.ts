// Checks that each name of the library has a comment, and that docs/api.md equals the compiler's declarations.
// TOUCHSTONE_UPDATE=1 writes the page.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "ava";
import { projectRoot } from "../../src/support/project-root.js";
import { apiDocument, declaredIn } from "./api-document.js";

const PAGE = join(projectRoot(), "docs", "api.md");
const DECLARATIONS = join(projectRoot(), "build", "src", "library", "library.d.ts");
const declared = declaredIn(readFileSync(DECLARATIONS, "utf8"));

test("every public name, and every member of a public type, has a comment", (t) => {
  t.true(declared.length > 30, `only ${declared.length} names`);
  t.deepEqual(
    declared.filter(({ comment }) => comment === "").map(({ name }) => name),
    [],
  );
});

test("docs/api.md is what the compiler declares", (t) => {
  const made = apiDocument(declared);
  if (process.env["TOUCHSTONE_UPDATE"] === "1") writeFileSync(PAGE, made);
  t.is(readFileSync(PAGE, "utf8"), made);
});

test("planted: names without a comment, with one that is far away, and of every kind", (t) => {
  const text = `/** Of the file. */
import type { A } from "./a.js";
export interface One {
    readonly a: number;
    /** B. */
    readonly b: A;
}
/** Two. */
export type Two = One;
/**
 * Three.
 * @param x its only one
 */
export declare function three(x: Two): void;
export declare const four: (x: number) => One;
`;
  const named = declaredIn(text).map(({ name, comment }) => `${name}: ${comment}`);
  t.deepEqual(named, [
    ...["One: ", "One.a: ", "One.b: B.", "Two: Two.", "three: Three.\n@param x its only one"],
    "four: ",
  ]);
  const page = apiDocument(declaredIn(text));
  t.regex(
    page,
    /\n## three\n\n```ts\nfunction three\(x: Two\): void;\n```\n\nThree\.\n\n\*param\*: x /,
  );
  t.regex(page, /\n- `readonly b: A;` B\.\n/);
});
