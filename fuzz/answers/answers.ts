// The table of what `--json` prints: one object for each row, with the fields that schemas.ts gives it. Here is
// what a command needs to print one, without the library that describes shapes.

interface Answer {
  /** Goes up when a field changes its meaning, or goes. */
  readonly version: number;
  /** What is typed after `fuzz` to get it. */
  readonly of: string;
  /** What the object is. */
  readonly says: string;
  /** When the status is 0, and when it is 1; null: never. 2 to 4 mean the same everywhere. */
  readonly well: string;
  readonly found: string | null;
}

// biome-ignore format: a table
export const ANSWERS = {
  "touchstone.seed":         { version: 1, of: "--seed N",             says: "one program, what each subject did with it",                well: "no subject differs",                        found: "a subject differs, or the verifier refuses the program" },
  "touchstone.run":          { version: 1, of: "run",                  says: "what a campaign did and found",                             well: "nothing new was found",                     found: "something new was found, a limit of the plan is broken, or what should be reached was not" },
  "touchstone.canaries":     { version: 1, of: "run --canary",         says: "planted bugs, and what found each",                         well: "each was found",                            found: "one survived" },
  "touchstone.against":      { version: 1, of: "run --against REF",    says: "programs that two versions of the compiler treat differently", well: "no verdict changed",                      found: "a verdict changed" },
  "touchstone.worker":       { version: 1, of: "worker",               says: "what a helper delivered until Ctrl-C",                      well: "always",                                    found: null },
  "touchstone.exec":         { version: 1, of: "exec",                 says: "run lines of a file, what each subject did with them",      well: "all is as expected",                        found: "a subject differs, or an expectation fails" },
  "touchstone.compile":      { version: 1, of: "compile",              says: "what is seen in the compiler",                              well: "it compiles",                               found: "it does not compile" },
  "touchstone.trace":        { version: 1, of: "trace",                says: "run lines of a file, with traces",                          well: "nothing differs",                           found: "an execution with traces differs" },
  "touchstone.export":       { version: 1, of: "export",               says: "the program in a format of others, or where it is",         well: "it is made",                                found: null },
  "touchstone.import":       { version: 1, of: "import",               says: "programs made of WebAssembly, or where they are",           well: "they do what the script says",              found: "one does not" },
  "touchstone.phases":       { version: 1, of: "phases",               says: "phases of B3 in the oracle, by procedure",                  well: "none is wrong",                             found: "one is wrong, or the engine died" },
  "touchstone.engines":      { version: 1, of: "engines",              says: "compilers of others, and which are here",                   well: "always",                                    found: null },
  "touchstone.engines-run":  { version: 1, of: "engines --subjects",   says: "programs through compilers of others",                      well: "nothing differs",                           found: "something differs" },
  "touchstone.engines-regress": { version: 1, of: "engines --regress A,B", says: "known bugs of engines in two versions",       well: "no bug is new",                             found: "a bug of the newer version is not in the older one" },
  "touchstone.reduce":       { version: 1, of: "reduce",               says: "the smallest program, or where it is",                      well: "it is made",                                found: "there is nothing to reduce" },
  "touchstone.report":       { version: 1, of: "report",               says: "the reports that were written",                             well: "no subject differs",                        found: "something differs, and is reported" },
  "touchstone.localize":     { version: 2, of: "localize",             says: "what is to blame, by subject",                              well: "no subject differs",                        found: "something differs, and is localized" },
  "touchstone.score":        { version: 1, of: "score",                says: "bugs that were planted, and after how much each was found", well: "each planted bug was found; of mutants always", found: "a planted bug was not found" },
  "touchstone.conform":      { version: 1, of: "conform",              says: "cases of suites, or of the boundary tables",                well: "no case failed",                            found: "a case failed" },
  "touchstone.proofs-run":   { version: 1, of: "prove",                says: "claims about rules and lowering",                           well: "each is proved or excluded",                found: "one is refuted or unknown, or a rule can never apply" },
  "touchstone.bench":        { version: 1, of: "bench",                says: "throughput by stage",                                       well: "always: figures are no verdict",            found: null },
  "touchstone.kernels":      { version: 1, of: "bench --kernels",      says: "code of kernels, and what others make of them",             well: "always: figures are no verdict",            found: null },
  "touchstone.allocators":   { version: 1, of: "bench --allocators",   says: "how allocation grows with the procedure",                   well: "always: figures are no verdict",            found: null },
  "touchstone.growth":       { version: 1, of: "bench --growth",       says: "how phases and stages grow with the procedure",             well: "always: figures are no verdict",            found: null },
  "touchstone.summary":      { version: 4, of: "stats",                says: "campaigns added up; without figures and unseen also summary.json", well: "all is reached that should be",       found: "what should be reached in so many programs was not" },
  "touchstone.store":        { version: 1, of: "stats --store",        says: "the campaigns and buckets of a store",                      well: "always",                                    found: null },
  "touchstone.stored-report": { version: 1, of: "stats --bucket",      says: "where the report is now",                                   well: "it is written",                             found: null },
  "touchstone.distribution": { version: 1, of: "stats --distribution", says: "what the generator makes",                                  well: "no figure is below its floor",              found: "a figure is below its floor" },
  "touchstone.serve":        { version: 1, of: "serve",                says: "where campaigns are shown; printed first, then it serves",  well: "Ctrl-C ended it",                           found: null },
  "touchstone.list":         { version: 1, of: "list",                 says: "names that options take",                                   well: "always",                                    found: null },
  "touchstone.doctor":       { version: 2, of: "doctor",               says: "what this machine has and lacks",                           well: "all that is needed is here (3: something is missing)", found: null },
  "touchstone.corpus":       { version: 2, of: "corpus list",          says: "the regressions and the known buckets",                     well: "always",                                    found: null },
  "touchstone.corpus-add":   { version: 1, of: "corpus add",           says: "the regression that was added",                             well: "it is added",                               found: null },
  "touchstone.corpus-run":   { version: 1, of: "corpus run",           says: "regressions by every subject",                              well: "all are as they should be",                 found: "one is not" },
} as const satisfies Readonly<Record<string, Answer>>;

export type AnswerName = keyof typeof ANSWERS;

export const SCHEMA_FOLDER = "docs/schemas";

/** In that folder. */
export const schemaFileOf = (name: AnswerName): string =>
  `${name.replace("touchstone.", "")}.schema.json`;
