// The table of the objects that `--json` prints, one row for each. A command prints an object by
// this table alone; it does not load zod. schemas.ts holds the fields of each object.

interface Answer {
  /** Increases when a field changes its meaning or is removed. */
  readonly version: number;
  /** The command line that prints the object, without `fuzz`. */
  readonly of: string;
  /** A description of the object. */
  readonly says: string;
  /**
   * The meaning of status 0, and of status 1 (null if the command never ends with it). Statuses 2
   * to 4 mean the same for every command.
   */
  readonly well: string;
  readonly found: string | null;
}

// biome-ignore format: a table
export const ANSWERS = {
  "touchstone.seed":            { version: 1, of: "--seed N",                says: "the verdicts of one program, by subject",                     well: "no subject differs",                                            found: "a subject differs, or the verifier refuses the program" },
  "touchstone.run":             { version: 1, of: "run",                     says: "the counts and findings of a campaign",                       well: "nothing new was found",                                         found: "something new was found, a limit of the plan was exceeded, or a counter that should be nonzero is zero" },
  "touchstone.canaries":        { version: 1, of: "run --canary",            says: "planted bugs, and the subject that found each",               well: "every planted bug was found",                                   found: "a planted bug was not found" },
  "touchstone.against":         { version: 1, of: "run --against REF",       says: "programs that two versions of the compiler treat differently", well: "no verdict changed",                                            found: "a verdict changed" },
  "touchstone.worker":          { version: 1, of: "worker",                  says: "the results that a worker delivered until Ctrl-C",            well: "always",                                                        found: null },
  "touchstone.exec":            { version: 1, of: "exec",                    says: "the verdicts of the run lines of a file, by subject",         well: "every verdict and expectation is as required",                  found: "a subject differs, or an expectation fails" },
  "touchstone.compile":         { version: 1, of: "compile",                 says: "the intermediate forms of a compiled program",                well: "the program compiles",                                          found: "the program does not compile" },
  "touchstone.trace":           { version: 1, of: "trace",                   says: "the verdicts of run lines that ran with traces",              well: "nothing differs",                                               found: "an execution with traces differs" },
  "touchstone.export":          { version: 1, of: "export",                  says: "the exported program, or its file",                           well: "the output was made",                                           found: null },
  "touchstone.import":          { version: 1, of: "import",                  says: "programs imported from WebAssembly, or their files",          well: "every assertion of the script holds",                           found: "an assertion fails" },
  "touchstone.phases":          { version: 1, of: "phases",                  says: "judged phases of B3, by procedure",                           well: "no phase is wrong",                                             found: "a phase is wrong, or the engine crashed" },
  "touchstone.engines":         { version: 1, of: "engines",                 says: "external engines, and whether each is available",             well: "always",                                                        found: null },
  "touchstone.engines-run":     { version: 1, of: "engines --subjects",      says: "the verdicts of programs in external engines",                well: "nothing differs",                                               found: "something differs" },
  "touchstone.engines-regress": { version: 1, of: "engines --regress A,B",   says: "the state of known engine bugs in two versions",              well: "the newer version has no additional bug",                       found: "the newer version has a bug that the older one does not have" },
  "touchstone.reduce":          { version: 1, of: "reduce",                  says: "the reduced program, or its file",                            well: "the output was made",                                           found: "there is nothing to reduce" },
  "touchstone.report":          { version: 1, of: "report",                  says: "the written reports",                                         well: "no subject differs",                                            found: "a subject differs; the report was written" },
  "touchstone.localize":        { version: 2, of: "localize",                says: "the localized cause, by subject",                             well: "no subject differs",                                            found: "a subject differs; the cause was localized" },
  "touchstone.score":           { version: 1, of: "score",                   says: "planted bugs, and the effort until each was found",           well: "every planted bug was found; for mutants: always",              found: "a planted bug was not found" },
  "touchstone.conform":         { version: 1, of: "conform",                 says: "results of suites, or of the boundary tables",                well: "no case failed",                                                found: "a case failed" },
  "touchstone.proofs-run":      { version: 1, of: "prove",                   says: "claims about rules and lowering",                             well: "every claim is proved or excluded",                             found: "a claim is refuted or unknown, or a rule can never apply" },
  "touchstone.bench":           { version: 1, of: "bench",                   says: "throughput by stage",                                         well: "always: figures do not affect the status",                      found: null },
  "touchstone.kernels":         { version: 1, of: "bench --kernels",         says: "code quality on kernels, compared with other compilers",      well: "always: figures do not affect the status",                      found: null },
  "touchstone.allocators":      { version: 1, of: "bench --allocators",      says: "how allocation grows with the procedure",                     well: "always: figures do not affect the status",                      found: null },
  "touchstone.growth":          { version: 1, of: "bench --growth",          says: "how phases and stages grow with the procedure",               well: "always: figures do not affect the status",                      found: null },
  "touchstone.summary":         { version: 4, of: "stats",                   says: "the sum of campaigns; summary.json has it without figures and unseen", well: "every counter that should be nonzero is nonzero",               found: "a counter that should be nonzero after this many programs is zero" },
  "touchstone.store":           { version: 1, of: "stats --store",           says: "the campaigns and buckets of a store",                        well: "always",                                                        found: null },
  "touchstone.stored-report":   { version: 1, of: "stats --bucket",          says: "the folder of the report",                                    well: "the report was written",                                        found: null },
  "touchstone.distribution":    { version: 1, of: "stats --distribution",    says: "the distribution of generated programs",                      well: "no figure is below its floor",                                  found: "a figure is below its floor" },
  "touchstone.serve":           { version: 1, of: "serve",                   says: "the address of the server; printed before it serves",         well: "Ctrl-C ended it",                                               found: null },
  "touchstone.list":            { version: 1, of: "list",                    says: "names that options accept",                                   well: "always",                                                        found: null },
  "touchstone.doctor":          { version: 2, of: "doctor",                  says: "required and optional software on this machine",              well: "everything required is installed (3: something is missing)",    found: null },
  "touchstone.corpus":          { version: 2, of: "corpus list",             says: "the regressions and the known buckets",                       well: "always",                                                        found: null },
  "touchstone.corpus-add":      { version: 1, of: "corpus add",              says: "the added regression",                                        well: "the regression was added",                                      found: null },
  "touchstone.corpus-run":      { version: 1, of: "corpus run",              says: "the results of the regressions, by every subject",            well: "every regression passes",                                       found: "a regression fails" },
} as const satisfies Readonly<Record<string, Answer>>;

export type AnswerName = keyof typeof ANSWERS;

export const SCHEMA_FOLDER = "docs/schemas";

/** Returns the name of the schema's file in SCHEMA_FOLDER. */
export const schemaFileOf = (name: AnswerName): string =>
  `${name.replace("touchstone.", "")}.schema.json`;
