// Lists the examples of the page. Most are files of the corpus; `fuzz playground` reads them.

export interface ProgramExample {
  readonly title: string;
  readonly text: string;
  /** The planted bug that makes it differ; null: nothing differs. */
  readonly canary: string | null;
}

/** The finding of the project's README. */
export const FINDING: ProgramExample = {
  title: "The README's finding: x + 0.0 is not x",
  canary: "float-rule",
  text: `touchstone 1
; A rule of the optimizer replaces x + 0.0 by x.
; That is wrong for x = -0.0: the sum is 0.0.
; The bug is planted: choose "none" as planted bug above,
; and the difference goes away.

proc f(Float @0) -> Float
#0:
  Float @1 = ConstFloat(0.0)
  Float @2 = Add(@0, @1)
  Void @3 = Return(@2)

; run: f(1.5) = 1.5
; run: f(-0.0) = 0.0
`,
};

/** The other examples, by title. */
export const EXAMPLE_FILES: Readonly<Record<string, string>> = {
  "Regression: a product as an address": "corpus/regress/product-of-five-overflows.ir",
  "Regression: copied blocks": "corpus/regress/copies-of-blocks-keep-addresses.ir",
  "Regression: an exit block": "corpus/regress/exit-block-stays-total.ir",
  "Construct: a guard with its exit": "corpus/golden/seeds/b3-check-of-a-comparison.ir",
  "Construct: patchpoints": "corpus/golden/seeds/b3-patchpoint-adds.ir",
  "Construct: a loop of a trace": "corpus/golden/seeds/luajit-trace-of-a-loop.ir",
  "Construct: overflow exits": "corpus/golden/seeds/nanojit-fragment.ir",
  "Construct: operands with policies": "corpus/golden/seeds/ionmonkey-add-with-policies.ir",
  "Construct: an exit with stores": "corpus/golden/seeds/tamarin-increment-on-the-stack.ir",
};
