// Converts texts with wabt in a worker thread. A hostile text can at worst end the thread.

import { workerData } from "node:worker_threads";
import type { ConversionAnswer, ConversionData, ConversionRequest } from "./convert-text.js";
import { openWabt } from "./wabt-stack.js";

/** The name of each text. It ends in a zero byte because wabt does not append one. */
const NAME = "text\0";
/** The first line of wabt's messages about invalid text. The error follows. */
const REFUSALS = ["parseWat failed:", "validate failed:"];

const { port, answered } = workerData as ConversionData; // posted by TextConverter
const flag = new Int32Array(answered);
let tools = openWabt();

port.on("message", async ({ text, features }: ConversionRequest) => {
  const answer = await convert(text, features);
  // After a failure the memory of the instance may be damaged.
  if (answer.kind === "failed") tools = openWabt();
  port.postMessage(answer);
  Atomics.add(flag, 0, 1);
  Atomics.notify(flag, 0);
});

async function convert(
  text: Uint8Array,
  features: ConversionRequest["features"],
): Promise<ConversionAnswer> {
  try {
    const module = (await tools).parseWat(NAME, text, features);
    // The declaration of the package lacks the parameter.
    Reflect.apply(module.validate, module, [features]);
    const options = { write_debug_names: true, canonicalize_lebs: true };
    const { buffer: binary } = module.toBinary(options);
    module.destroy();
    return { kind: "binary", binary };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const [head, first = ""] = message.split("\n");
    if (REFUSALS.includes(head)) return { kind: "refused", message: first };
    return { kind: "failed", message: head };
  }
}
