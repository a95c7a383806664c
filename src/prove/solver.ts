// Runs the solver: Z3 as WebAssembly, from the package `z3-solver`. It is a development dependency,
// so it is loaded for the first query, and its absence is reported as such.
//
// The synchronous parser receives the queries, and only the check runs in the solver's thread. The
// package's asynchronous functions with text arguments (5.2.0) free the text before the thread
// reads it.

import { createRequire } from "node:module";
import type { Worker } from "node:worker_threads";
import type { Z3_context, Z3_solver } from "z3-solver";
import { assert } from "../support/assert.js";

export type SolverAnswer = "unsat" | "sat" | "unknown";

/**
 * An error that the solver's package is not installed. A checkout has it; the shipped package does
 * not depend on it.
 */
export class NoSolver extends Error {
  override readonly name = "NoSolver";
}

// A computed name, so that bundlers do not follow it and users need not install it.
const PACKAGE: string = "z3-solver";
/** A bundle is a script and not a module, and cannot import by a computed name. */
const require = createRequire(import.meta.url);

export class Solver {
  private readonly api: SolverApi;

  private constructor(api: SolverApi) {
    this.api = api;
  }

  /** Throws NoSolver if the package is missing. */
  static async open(): Promise<Solver> {
    return new Solver(await loadSolver());
  }

  /**
   * Ends the solver's threads. Nothing waits for them: in one process in some hundreds, Node did
   * not report the end of the worker, and the process never ended (Node 20.20, busy machine).
   */
  close(): void {
    const { PThread } = this.api.em;
    const workers: readonly Worker[] = [...PThread.runningWorkers, ...PThread.unusedWorkers];
    PThread.terminateAllThreads();
    for (const worker of workers) worker.unref();
  }

  /**
   * Checks whether the assertions are satisfiable.
   * @param question SMT-LIB: declarations and assertions
   * @param secondsMax after which the answer is "unknown"
   */
  async ask(question: string, secondsMax: number): Promise<SolverAnswer> {
    return this.inContext(question, secondsMax, (answer) => answer);
  }

  /**
   * Returns the printed values of the named constants in a counterexample; null if there is none.
   */
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

  /** Runs in a new context, so that queries do not share state. */
  private async inContext<T>(
    question: string,
    secondsMax: number,
    read: (answer: SolverAnswer, context: Z3_context, solver: Z3_solver) => T,
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

type SolverApi = Awaited<ReturnType<typeof loadSolver>>;

/** The answers, by the three-valued result of the solver. */
const ANSWERS: { readonly [truth: number]: SolverAnswer } = {
  [-1]: "unsat",
  0: "unknown",
  1: "sat",
};

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
