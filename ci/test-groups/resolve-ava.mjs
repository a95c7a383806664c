// A hook of Node's loader: where a test file imports `ava`, it gets collected-test.mjs.

const COLLECTED = new URL("./collected-test.mjs", import.meta.url).href;
const IN_BUILD = /\/build\/.*\.test\.js$/;

export function resolve(specifier, context, next) {
  if (specifier !== "ava" || !IN_BUILD.test(context.parentURL ?? "")) {
    return next(specifier, context);
  }
  return { url: COLLECTED, format: "module", shortCircuit: true };
}
