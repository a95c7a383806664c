// A subject in process: V8 of this Node as a compiler of WebAssembly. Put your compiler in run().
// npx esbuild in-process.ts --outfile=in-process.mjs && node in-process.mjs [SEEDS]

import {
  defineSubject,
  type Execution,
  generate,
  type JudgedProgram,
  judge,
  print,
  reduce,
} from "touchstone";

/** The bits of the result; null where there is none. */
function compileAndRun({ wasmCall, hasResult }: Execution): bigint | null {
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(wasmCall()));
  const main = exports["main"];
  if (typeof main !== "function") throw new TypeError("there is no main");
  const bits = BigInt(main());
  return hasResult ? bits : null;
}

const mine = defineSubject({ name: "mine", run: compileAndRun });
const isWrong = ({ verdict }: JudgedProgram): boolean => verdict === "different";

let equal = 0;
for (let seed = 1; seed <= Number(process.argv[2] ?? 20); seed++) {
  const program = generate(seed);
  const judged = await judge(program, [mine]);
  equal += judged.filter(({ verdict }) => verdict === "equal").length;
  const wrong = judged.find(isWrong);
  if (wrong === undefined) continue;
  console.log(`seed ${seed}: ${wrong.detail}`);
  console.log(print((await reduce(program, mine)) ?? program));
}
console.log(`${equal} executions are equal`);
