// The version of the generator, as the build writes it to `build/generator-version`: a hash of all
// code that decides which program a seed names. That is what `src/campaign/program/seeds.ts` imports,
// at any distance, without comments, types and layout: a changed comment keeps the version, a changed
// weight in the opcode table does not. The modules that the profile `imported` mutates are hashed too.

import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { buildSync } from "esbuild";

const DIGITS = 16;

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
    write: false,
    logLevel: "error",
  });
  const hash = createHash("sha256").update(outputFiles[0].text);
  const bench = join(root, "corpus", "bench");
  for (const name of readdirSync(bench).sort()) {
    if (name.endsWith(".wasm")) hash.update(readFileSync(join(bench, name)));
  }
  return hash.digest("hex").slice(0, DIGITS);
}
