// A subject in process: V8 of this Node as a compiler of WebAssembly. Put your compiler in run().
// node in-process.mjs [SEEDS]

import { defineSubject, generate, judge, print, reduce } from "touchstone";

const mine = defineSubject({
  name: "mine",
  run: ({ wasmCall }) => {
    const { exports } = new WebAssembly.Instance(new WebAssembly.Module(wasmCall()));
    return BigInt(exports.main());
  },
});

let equal = 0;
for (let seed = 1; seed <= Number(process.argv[2] ?? 20); seed++) {
  const program = generate(seed);
  const judged = await judge(program, [mine]);
  equal += judged.filter(({ verdict }) => verdict === "equal").length;
  const wrong = judged.find(({ verdict }) => verdict === "different");
  if (wrong === undefined) continue;
  console.log(`seed ${seed}: ${wrong.detail}`);
  console.log(print((await reduce(program, mine)) ?? program));
}
console.log(`${equal} executions are equal`);
