// The solver: Z3 as WebAssembly, of the package `z3-solver`. It is a package for the development, so
// it is asked for when a question comes, and its absence is said as such.
//
// Questions are handed over by the synchronous parser, and only the check runs in the solver's thread:
// the package's asynchronous functions that take text (5.2.0) hand over a text that is gone by the time
// the thread reads it.

import { createRequire } from "node:module";
import type { Worker } from "node:worker_threads";
import type { Z3_context, Z3_solver } from "z3-solver";
import { assert } from "../support/assert.js";

export type Answer = "unsat" | "sat" | "unknown";

/** The package is not installed: a checkout has it, the shipped package does not ask for it. */
export class NoSolver extends Error {
  override readonly name = "NoSolver";
}

// A name that no bundler follows, and no user of the package has to have.
const PACKAGE: string = "z3-solver";
/** A script that is not a module, as the bundle is, may not import by a name that is computed. */
const require = createRequire(import.meta.url);

export class Solver {
  private readonly api: Api;

  private constructor(api: Api) {
    this.api = api;
  }

  /** Throws NoSolver where there is none. */
  static async open(): Promise<Solver> {
    return new Solver(await loadSolver());
  }

  /**
   * Ends the solver's threads. No process waits for them: Node holds a worker that is told to end, and of one process
   * in some hundreds it never learned that the worker had ended (Node 20.20 on a busy machine; the process stayed).
   */
  close(): void {
    const { PThread } = this.api.em;
    const workers: readonly Worker[] = [...PThread.runningWorkers, ...PThread.unusedWorkers];
    PThread.terminateAllThreads();
    for (const worker of workers) worker.unref();
  }

  /**
   * @param question SMT-LIB: declarations and assertions
   * @param secondsMax after which the answer is "unknown"
   */
  async ask(question: string, secondsMax: number): Promise<Answer> {
    return this.inContext(question, secondsMax, (answer) => answer);
  }

  /** The values of the named constants in a counterexample, as they are printed; null if none. */
  async counterexample(
    question: string,
    names: readonly string[],
    secondsMax: number,
  ): Promise<ReadonlyMap<string, string> | null> {
    return this.inContext(question, secondsMax, (answer, context, solver) => {
      if (answer !== "sat") return null;
      const { Z3 } = this.api;
      const lines = Z3.model_to_string(context, Z3.solver_get_model(context, solver)).split("\n");
      const values = new Map(
        lines.map((line) => {
          const [, name, value] = /^(\w+) -> (.*)$/.exec(line) ?? ["", "", ""];
          return [name, value];
        }),
      );
      return new Map(names.map((name) => [name, values.get(name) ?? "#x0"]));
    });
  }

  /** A context for each question: nothing of one is left for the next. */
  private async inContext<T>(
    question: string,
    secondsMax: number,
    read: (answer: Answer, context: Z3_context, solver: Z3_solver) => T,
  ): Promise<T> {
    const { Z3 } = this.api;
    const config = Z3.mk_config();
    const context = Z3.mk_context(config);
    Z3.del_config(config);
    const solver = Z3.mk_solver(context);
    Z3.solver_inc_ref(context, solver);
    const params = Z3.mk_params(context);
    Z3.params_inc_ref(context, params);
    const timeout = Z3.mk_string_symbol(context, "timeout");
    Z3.params_set_uint(context, params, timeout, Math.ceil(1000 * secondsMax));
    Z3.solver_set_params(context, solver, params);
    Z3.solver_from_string(context, solver, question);
    const code = Z3.get_error_code(context);
    assert(code === 0, () => `${Z3.get_error_msg(context, code)}:\n${question}`);
    const answer = ANSWERS[await Z3.solver_check(context, solver)];
    const result = read(answer, context, solver);
    Z3.del_context(context);
    return result;
  }
}

type Api = Awaited<ReturnType<typeof loadSolver>>;

/** By the solver's three-valued logic. */
const ANSWERS: { readonly [truth: number]: Answer } = { [-1]: "unsat", 0: "unknown", 1: "sat" };

async function loadSolver() {
  let solver: typeof import("z3-solver");
  try {
    solver = require(PACKAGE);
  } catch (error) {
    throw new NoSolver("the package z3-solver is not installed: run ci/setup in a checkout", {
      cause: error,
    });
  }
  return solver.init();
}
