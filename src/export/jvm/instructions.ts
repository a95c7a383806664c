// Lists the instructions of the Java virtual machine that programs use: encoding, operand, and the
// change of the operand stack depth in words.

/** The operand that follows an instruction in the text. */
type OperandKind = "none" | "local" | "label" | "field" | "method" | "class" | "byte";

interface JvmInstruction {
  readonly code: number;
  readonly operand: OperandKind;
  /** The change of the depth; for a member, without what its descriptor adds. */
  readonly stackEffect: number;
}

const INSTRUCTIONS = new Map<string, JvmInstruction>();

function add(operand: OperandKind, code: number, names: string, ...effects: number[]): void {
  names.split(" ").forEach((name, n) => {
    INSTRUCTIONS.set(name, { code: code + n, operand, stackEffect: effects[n % effects.length] });
  });
}

add("none", 1, "aconst_null", 1);
add("local", 21, "iload lload fload dload aload", 1, 2, 1, 2, 1);
add("none", 46, "iaload laload faload daload aaload baload", -1, 0, -1, 0, -1, -1);
add("local", 54, "istore lstore fstore dstore astore", -1, -2, -1, -2, -1);
add("none", 79, "iastore lastore fastore dastore aastore bastore", -3, -4, -3, -4, -3, -3);
add("none", 87, "pop pop2 dup", -1, -2, 1);
add("none", 92, "dup2", 2);
add("none", 95, "swap", 0);
add("none", 96, "iadd ladd fadd dadd isub lsub fsub dsub imul lmul fmul dmul", -1, -2);
add("none", 108, "idiv ldiv fdiv ddiv irem lrem frem drem", -1, -2);
add("none", 116, "ineg lneg fneg dneg", 0);
add("none", 120, "ishl lshl ishr lshr iushr lushr", -1);
add("none", 126, "iand land ior lor ixor lxor", -1, -2);
add(
  "none",
  133,
  "i2l i2f i2d l2i l2f l2d f2i f2l f2d d2i d2l d2f",
  1,
  0,
  1,
  -1,
  -1,
  0,
  0,
  1,
  1,
  -1,
  0,
  -1,
);
add("none", 145, "i2b i2c i2s", 0);
add("none", 148, "lcmp fcmpl fcmpg dcmpl dcmpg", -3, -1, -1, -3, -3);
add("label", 153, "ifeq ifne iflt ifge ifgt ifle", -1);
add("label", 159, "if_icmpeq if_icmpne if_icmplt if_icmpge if_icmpgt if_icmple", -2);
add("label", 165, "if_acmpeq if_acmpne", -2);
add("label", 167, "goto", 0);
add("none", 172, "ireturn lreturn freturn dreturn areturn return", -1, -2, -1, -2, -1, 0);
add("field", 178, "getstatic putstatic getfield putfield", 0, 0, -1, -1);
add("method", 182, "invokevirtual invokespecial invokestatic invokeinterface", -1, -1, 0, -1);
add("class", 187, "new", 1);
add("byte", 188, "newarray", 0);
add("class", 189, "anewarray", 0);
add("none", 190, "arraylength athrow", 0, -1);
add("class", 192, "checkcast instanceof", 0);
add("label", 198, "ifnull ifnonnull", -1);

export const instructionNamed = (name: string): JvmInstruction | null =>
  INSTRUCTIONS.get(name) ?? null;

/** Instructions after which control does not continue. */
export const TERMINATORS: ReadonlySet<string> = new Set(
  "goto ireturn lreturn freturn dreturn areturn return athrow".split(" "),
);

/** Returns the conditional jump with the opposite condition. */
export const inverseOf = (code: number): number => (code >= 198 ? code ^ 1 : ((code + 1) ^ 1) - 1);

/** Returns the words of the parameters and of the result of a descriptor. */
export function wordsOf(descriptor: string): {
  readonly argumentWords: number;
  readonly resultWords: number;
} {
  const [, parameters, result] = /^\((.*)\)(.*)$/.exec(descriptor) ?? ["", "", descriptor];
  const argumentWords = [...parameters.matchAll(/\[*(?:L[^;]*;|.)/g)].reduce(
    (sum, [type]) => sum + wordsOfType(type),
    0,
  );
  return { argumentWords, resultWords: wordsOfType(result) };
}

function wordsOfType(type: string): number {
  if (type === "V") return 0;
  return type === "J" || type === "D" ? 2 : 1;
}
