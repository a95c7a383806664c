// Collects the text of one function of LLVM IR by line, and names temporaries.

export class FunctionText {
  readonly lines: string[] = [];
  private count = 0;

  line(text: string): void {
    this.lines.push(`  ${text}`);
  }

  label(name: string): void {
    this.lines.push(`${name}:`);
  }

  /** Writes an instruction and returns the new name of its result. */
  named(instruction: string): string {
    const name = `%t${this.count++}`;
    this.line(`${name} = ${instruction}`);
    return name;
  }

  /** Writes the instructions of a row (opcode-rows.ts); the last one defines `result`. */
  steps(result: string, row: readonly string[], operands: readonly string[]): void {
    row.forEach((step, s) => {
      const own = step.replace(/%(?=[a-z])/g, `${result}.`);
      const text = own.replace(/\$(\d)/g, (_, n) => operands[Number(n)]);
      this.line(s === row.length - 1 ? `${result} = ${text}` : text);
    });
  }
}
