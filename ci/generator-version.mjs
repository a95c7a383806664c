// The version of the generator, as the build writes it to `build/generator-version`: a hash of the code and data that
// decide which program a seed names. The code is all that `src/campaign/program/seeds.ts` imports, without comments,
// types and layout: a changed comment keeps the version, a changed weight in the opcode table does not. The data are the
// rule patterns, and the modules that the profile `imported` mutates.
//
// The hash leaves out the oracle. Mutations and aimed inputs depend on what the oracle computes, which the language
// defines, and not on how it computes that. `corpus/patterns/seeds.json` holds digests of programs, and a test compares
// them: if a correction of the oracle changes programs, increment MEANING.

import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { buildSync } from "esbuild";

const DIGITS = 16;
/** Increment this if a change of the oracle changes which program a seed names. */
const MEANING = 1;

/** @param root folder of the project @returns 16 hexadecimal digits */
export function computeGeneratorVersion(root) {
  const { outputFiles } = buildSync({
    entryPoints: [join(root, "src", "campaign", "program", "seeds.ts")],
    bundle: true,
    minifyWhitespace: true,
    treeShaking: true,
    legalComments: "none",
    platform: "node",
    format: "esm",
    packages: "external",
    external: ["../oracle/*", "../../oracle/*"],
    write: false,
    logLevel: "error",
  });
  const hash = createHash("sha256").update(`${MEANING}\n${outputFiles[0].text}`);
  hash.update(readFileSync(join(root, "corpus", "patterns", "rules.json")));
  const bench = join(root, "corpus", "bench");
  for (const name of readdirSync(bench).sort()) {
    if (name.endsWith(".wasm")) hash.update(readFileSync(join(bench, name)));
  }
  return hash.digest("hex").slice(0, DIGITS);
}
