// Runs the clang of the npm package @yowasp/clang, which is WebAssembly, as a command:
//
//   node --liftoff-only clang-in-node.js BUNDLE ARGUMENTS
//
// BUNDLE is the module of the package. The arguments are those of clang. Files are passed by their
// names without folders. Only V8's baseline compiler compiles clang, so that its optimizer is not
// under test.

import { existsSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { pathToFileURL } from "node:url";

type OutputWriter = (bytes: Uint8Array | null) => void;
type RunClang = (
  args: readonly string[],
  files: Readonly<Record<string, Uint8Array>>,
  options: { stdout: OutputWriter; stderr: OutputWriter; fetchProgress: () => void },
) => Promise<Readonly<Record<string, Uint8Array>> | undefined>;

const OUTPUT = "program";
const [, , link, ...args] = process.argv;
const bundle = realpathSync(link);

if (args.includes("--version")) {
  // The package needs a second to print its own.
  const { name, version } = JSON.parse(
    readFileSync(join(dirname(dirname(bundle)), "package.json"), "utf8"),
  );
  console.log(`clang of ${name} ${version}`);
} else process.exitCode = await compile();

async function compile(): Promise<number> {
  // The cast is the border to the package, whose lib/api.d.ts declares this.
  const { commands } = (await import(pathToFileURL(bundle).href)) as {
    readonly commands: { readonly clang: RunClang };
  };
  const files: Record<string, Uint8Array> = {};
  let output = "a.out";
  const words: string[] = [];
  for (let a = 0; a < args.length; a++) {
    const word = args[a];
    if (word === "-o") output = args[++a];
    else if (!word.startsWith("-") && /\.(?:c|ll|o)$/.test(word) && existsSync(word)) {
      files[basename(word)] = new Uint8Array(readFileSync(word));
      words.push(basename(word));
    } else words.push(word);
  }
  const to =
    (stream: NodeJS.WriteStream): OutputWriter =>
    (bytes) => {
      if (bytes !== null) stream.write(bytes);
    };
  const options = { stdout: to(process.stdout), stderr: to(process.stderr), fetchProgress() {} };
  try {
    const made = await commands.clang([...words, "-o", OUTPUT], files, options);
    if (made?.[OUTPUT] !== undefined) writeFileSync(output, made[OUTPUT]);
    return 0;
  } catch (error) {
    const code = error instanceof Error ? Reflect.get(error, "code") : undefined;
    if (typeof code !== "number") throw error;
    return code === 0 ? 0 : 1;
  }
}
