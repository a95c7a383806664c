// Declares the tests of several files in one process, which loads Node, ava and our modules once, and warms V8 up
// once. The tests of a file run one after another, in the order of a process of its own, and then those of the next.

import test from "ava";
import { addHooks } from "./add-hooks.mjs";
import { lap, leaveClock, sumOf } from "./clock.mjs";
import { beginFile, files } from "./collected-test.mjs";
import { tellRunning } from "./running.mjs";

/**
 * @param build the URL of the folder of compiled files, with a slash at its end
 * @param paths test files below it, with slashes
 */
export async function declareGroup(build, paths) {
  await addHooks(new URL("./resolve-ava.mjs", import.meta.url).href);
  const started = lap();
  const begun = [];
  for (const path of paths) {
    const file = path.replace(/js$/, "ts");
    beginFile(file);
    const failure = await importOf(new URL(path, build));
    begun.push({ ...files[files.length - 1], failure, loading: lap() });
  }
  for (const [f, one] of begun.entries()) {
    declareFile(one, f === 0 ? started : null, paths.length > 1);
  }
}

/** Imports the file; returns null, or the exception: the other files run all the same. */
async function importOf(url) {
  try {
    await import(url.href);
    return null;
  } catch (error) {
    return { error };
  }
}

const isTest = ({ args: [title] }) => typeof title === "string";

function declareFile({ file, calls, failure, loading }, started, isShared) {
  if (failure !== null) {
    test(`${file} does not load`, () => {
      throw failure.error;
    });
  }
  for (const { words, args } of calls.filter((call) => !isTest(call))) {
    if (isShared && !words.includes("after")) {
      throw new Error(
        `${file}: test.${words.join(".")}: it needs a process of its own: ci/test-groups/groups.mjs`,
      );
    }
    at(words)(...args);
  }
  const tests = calls.filter(isTest);
  const isSerial = ({ words }) => words.includes("serial");
  const inOrder = [...tests.filter(isSerial), ...tests.filter((call) => !isSerial(call))];
  let left = inOrder.filter(({ words }) => !words.includes("skip")).length;
  let spent = started === null ? loading : sumOf(started, loading);
  const laps = [];
  const end = (title) => {
    const own = lap();
    laps.push({ title, ...own });
    spent = sumOf(spent, own);
    if (--left <= 0) leaveClock(file, spent, laps);
  };
  if (left === 0) leaveClock(file, spent, laps);
  for (const { words, args } of inOrder) {
    const [title, body, ...rest] = args;
    const how = isShared && !words.includes("serial") ? ["serial", ...words] : words;
    at(how)(
      `${file} › ${title}`,
      told(`${file} › ${title}`, body, () => end(title)),
      ...rest,
    );
  }
}

const at = (words) => words.reduce((link, word) => link[word], test);

/** Runs the body, and then `end` in any case. Records the test as running. */
const told =
  (title, body, end) =>
  async (...args) => {
    tellRunning(title);
    try {
      return await body(...args);
    } finally {
      end();
    }
  };
