// The table of the objects that `--json` prints, one row for each. A command prints an object by
// this table alone; it does not load zod. schemas.ts holds the fields of each object.

interface AnswerDescription {
  /** Increases when a field changes its meaning or is removed. */
  readonly version: number;
  /** The command line that prints the object, without `fuzz`. */
  readonly command: string;
  /** A description of the object. */
  readonly title: string;
  /**
   * The meaning of status 0, and of status 1 (null if the command never ends with it). Statuses 2
   * to 4 mean the same for every command.
   */
  readonly success: string;
  readonly failure: string | null;
}

// biome-ignore format: a table
export const ANSWERS = {
  "touchstone.seed":            { version: 1, command: "--seed N",                title: "the verdicts of one program, by subject",                     success: "no subject differs",                                            failure: "a subject differs, or the verifier refuses the program" },
  "touchstone.run":             { version: 1, command: "run",                     title: "the counts and findings of a campaign",                       success: "nothing new was found",                                         failure: "something new was found, a limit of the plan was exceeded, or a counter that should be nonzero is zero" },
  "touchstone.canaries":        { version: 1, command: "run --canary",            title: "planted bugs, and the subject that found each",               success: "every planted bug was found",                                   failure: "a planted bug was not found" },
  "touchstone.against":         { version: 1, command: "run --against REF",       title: "programs that two versions of the compiler treat differently", success: "no verdict changed",                                            failure: "a verdict changed" },
  "touchstone.worker":          { version: 1, command: "worker",                  title: "the results that a worker delivered until Ctrl-C",            success: "always",                                                        failure: null },
  "touchstone.exec":            { version: 1, command: "exec",                    title: "the verdicts of the run lines of a file, by subject",         success: "every verdict and expectation is as required",                  failure: "a subject differs, or an expectation fails" },
  "touchstone.compile":         { version: 1, command: "compile",                 title: "the intermediate forms of a compiled program",                success: "the program compiles",                                          failure: "the program does not compile" },
  "touchstone.trace":           { version: 1, command: "trace",                   title: "the verdicts of run lines that ran with traces",              success: "nothing differs",                                               failure: "an execution with traces differs" },
  "touchstone.export":          { version: 1, command: "export",                  title: "the exported program, or its file",                           success: "the output was made",                                           failure: null },
  "touchstone.playground":      { version: 1, command: "playground",              title: "the written page",                                            success: "the page was written",                                          failure: null },
  "touchstone.import":          { version: 1, command: "import",                  title: "programs imported from WebAssembly, or their files",          success: "every assertion of the script holds",                           failure: "an assertion fails" },
  "touchstone.phases":          { version: 1, command: "phases",                  title: "judged phases of B3 or LLVM, by procedure",                   success: "no phase is wrong",                                             failure: "a phase is wrong, or the engine crashed" },
  "touchstone.engines":         { version: 1, command: "engines",                 title: "external engines, and whether each is available",             success: "always",                                                        failure: null },
  "touchstone.engines-run":     { version: 1, command: "engines --subjects",      title: "the verdicts of programs in external engines",                success: "nothing differs",                                               failure: "something differs" },
  "touchstone.engines-regress": { version: 1, command: "engines --regress A,B",   title: "the state of known engine bugs in two versions",              success: "the newer version has no additional bug",                       failure: "the newer version has a bug that the older one does not have" },
  "touchstone.reduce":          { version: 1, command: "reduce",                  title: "the reduced program, or its file",                            success: "the output was made",                                           failure: "there is nothing to reduce" },
  "touchstone.report":          { version: 1, command: "report",                  title: "the written reports",                                         success: "no subject differs",                                            failure: "a subject differs; the report was written" },
  "touchstone.localize":        { version: 3, command: "localize",                title: "the localized cause, by subject",                             success: "no subject differs",                                            failure: "a subject differs; the cause was localized" },
  "touchstone.conform":         { version: 1, command: "conform",                 title: "results of suites, or of the boundary tables",                success: "no case failed",                                                failure: "a case failed" },
  "touchstone.proofs-run":      { version: 1, command: "prove",                   title: "claims about rules and lowering",                             success: "every claim is proved or excluded",                             failure: "a claim is refuted or unknown, or a rule can never apply" },
  "touchstone.summary":         { version: 6, command: "stats",                   title: "the sum of campaigns; summary.json has it without figures and unseen", success: "every counter that should be nonzero is nonzero",               failure: "a counter that should be nonzero after this many programs is zero" },
  "touchstone.store":           { version: 1, command: "stats --store",           title: "the campaigns and buckets of a store",                        success: "always",                                                        failure: null },
  "touchstone.stored-report":   { version: 1, command: "stats --bucket",          title: "the folder of the report",                                    success: "the report was written",                                        failure: null },
  "touchstone.serve":           { version: 1, command: "serve",                   title: "the address of the server; printed before it serves",         success: "Ctrl-C ended it",                                               failure: null },
  "touchstone.list":            { version: 1, command: "list",                    title: "names that options accept",                                   success: "always",                                                        failure: null },
  "touchstone.doctor":          { version: 2, command: "doctor",                  title: "required and optional software on this machine",              success: "everything required is installed (3: something is missing)",    failure: null },
  "touchstone.corpus":          { version: 2, command: "corpus list",             title: "the regressions and the known buckets",                       success: "always",                                                        failure: null },
  "touchstone.corpus-add":      { version: 1, command: "corpus add",              title: "the added regression",                                        success: "the regression was added",                                      failure: null },
  "touchstone.corpus-run":      { version: 1, command: "corpus run",              title: "the results of the regressions, by every subject",            success: "every regression passes",                                       failure: "a regression fails" },
} as const satisfies Readonly<Record<string, AnswerDescription>>;

export type AnswerName = keyof typeof ANSWERS;

export const SCHEMA_FOLDER = "docs/schemas";

/** Returns the name of the schema's file in SCHEMA_FOLDER. */
export const schemaFileOf = (name: AnswerName): string =>
  `${name.replace("touchstone.", "")}.schema.json`;
