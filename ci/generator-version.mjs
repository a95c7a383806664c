// The version of the generator, as the build writes it to `build/generator-version`: a hash of all
// code that decides which program a seed names. That is what `src/campaign/program/seeds.ts` imports,
// at any distance, without comments, types and layout: a changed comment keeps the version, a changed
// weight in the opcode table does not.

import { createHash } from "node:crypto";
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
  return createHash("sha256").update(outputFiles[0].text).digest("hex").slice(0, DIGITS);
}
