// Makes the page from the scripts of the build and the examples of the corpus.

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { projectRoot } from "../support/project-root.js";
import { EXAMPLE_FILES, FINDING } from "./examples.js";
import { playgroundPage } from "./write-page.js";

/**
 * Returns the page; null if the build has no bundle.
 * @param seconds the time limit of a request
 */
export function makePlayground(seconds = 10): string | null {
  const bundle = join(projectRoot(), "build", "bundle");
  const [page, worker] = ["playground-page.js", "playground-worker.js"].map((file) =>
    join(bundle, file),
  );
  if (!existsSync(page) || !existsSync(worker)) return null;
  const files = Object.entries(EXAMPLE_FILES).map(([title, file]) => {
    return { title, text: readFileSync(join(projectRoot(), file), "utf8"), canary: null };
  });
  return playgroundPage({
    pageScript: readFileSync(page, "utf8"),
    workerScript: readFileSync(worker, "utf8"),
    seconds,
    examples: [FINDING, ...files],
  });
}

/** The error if there is no bundle, with its remedy. */
export const BUNDLE_MISSING = "the build has no bundle: run node ci/build.mjs";
