// Finds slots of LuaJIT's interpreter that the following bytecode overwrites before it reads them. An
// exit may leave anything in them. The search ends at the first jump, as in lj_snap.c.

import type { CopiedMemory } from "./stack-log.js";

type BytecodeOperand = "var" | "dst" | "base" | "rbase" | "jump" | "lit" | "func" | "none";

/** The operands A, B and C of opcodes (lj_bc.h); D, without B, is in the place of C. */
function operandsOf(
  name: string,
): readonly [a: BytecodeOperand, b: BytecodeOperand, c: BytecodeOperand] {
  if (/^IS(LT|GE|LE|GT|EQV|NEV)$/.test(name)) return ["var", "none", "var"];
  if (/^IS(EQ|NE)[SNP]$|^ISTYPE$|^ISNUM$|^GSET$/.test(name)) return ["var", "none", "none"];
  if (/^IS[TF]C$|^(MOV|NOT|UNM|LEN)$/.test(name)) return ["dst", "none", "var"];
  if (/^IS[TF]$|^USETV$/.test(name)) return ["none", "none", "var"];
  if (/^(ADD|SUB|MUL|DIV|MOD)(VN|NV)$|^TGET[SB]$/.test(name)) return ["dst", "var", "none"];
  if (/^(ADD|SUB|MUL|DIV|MOD)VV$|^POW$|^TGET[VR]$/.test(name)) return ["dst", "var", "var"];
  if (name === "CAT") return ["dst", "rbase", "rbase"];
  if (/^TSET[VR]$/.test(name)) return ["var", "var", "var"];
  if (/^TSET[SB]$/.test(name)) return ["var", "var", "none"];
  if (/^(KSTR|KCDATA|KSHORT|KNUM|KPRI|UGET|FNEW|TNEW|TDUP|GGET)$/.test(name))
    return ["dst", "none", "none"];
  if (/^USET[SNP]$/.test(name)) return ["none", "none", "none"];
  if (/^(KNIL|TSETM|CALL(M|T|MT)?|ITER[CN]|VARG)$/.test(name)) return ["base", "none", "none"];
  if (/^(J?FORI|I?FORL|I?ITERL|ISNEXT)$/.test(name)) return ["base", "none", "jump"];
  if (/^(I?LOOP|JMP|UCLO)$/.test(name)) return ["rbase", "none", "jump"];
  if (/^(RETM?|RET[01]|JFORL|JITERL|JLOOP)$/.test(name)) return ["base", "none", "lit"];
  return ["none", "none", "func"];
}

const FORL_SLOTS = 3;
const LENGTH_MAX = 1000;

/**
 * Returns the slots below `count` that are dead before the instruction at an address.
 * @param names the names of opcodes, by number
 */
export function deadSlots(
  memory: CopiedMemory,
  names: readonly string[],
  pc: number,
  count: number,
): ReadonlySet<number> {
  const states = new SlotStates(count);
  for (let i = 0; i < LENGTH_MAX; i++) {
    const word = memory.read(pc + 4 * i, 4);
    if (word === null) break;
    const [op, a, c, b] = word;
    const before = memory.read(pc + 4 * i - 4, 4);
    if (scan(states, names[op] ?? "?", { a, b, c, d: c | (b << 8), countBefore: before?.[3] ?? 0 }))
      break;
  }
  return states.dead;
}

interface BytecodeFields {
  readonly a: number;
  readonly b: number;
  readonly c: number;
  readonly d: number;
  /** The operand B of the instruction before. */
  readonly countBefore: number;
}

/** The slots that an instruction was seen to read or to write first. */
class SlotStates {
  readonly dead = new Set<number>();
  readonly count: number;
  private readonly used = new Set<number>();

  constructor(count: number) {
    this.count = count;
  }

  use(from: number, to = from + 1): void {
    for (let s = from; s < Math.min(to, this.count); s++) if (!this.dead.has(s)) this.used.add(s);
  }

  define(from: number, to = from + 1): void {
    for (let s = Math.max(0, from); s < Math.min(to, this.count); s++)
      if (!this.used.has(s)) this.dead.add(s);
  }
}

/** Returns whether the search ends with this instruction. */
function scan(states: SlotStates, name: string, fields: BytecodeFields): boolean {
  const [onA, onB, onC] = operandsOf(name);
  const { a, b, c } = fields;
  if (onB === "var") states.use(b);
  if (onC === "var") states.use(onB === "none" ? fields.d : c);
  if (onC === "rbase") {
    states.use(b, c + 1);
    states.define(c + 1, states.count);
  }
  if (onC === "func") return true;
  if (onC === "jump" || /^J(FOR|ITER)?L(OOP)?$/.test(name)) return scanJump(states, name, fields);
  if (onC === "lit") {
    const top = name === "RETM" ? states.count : a + fields.d - 1;
    states.define(0, a);
    states.use(a, top);
    states.define(Math.max(a, top), states.count);
    return true;
  }
  if (onA === "var") states.use(a);
  if (onA === "dst" && name !== "ISTC" && name !== "ISFC") states.define(a);
  return onA === "base" && scanBase(states, name, fields);
}

function scanJump(states: SlotStates, name: string, { a, countBefore }: BytecodeFields): boolean {
  if (name === "UCLO") return true;
  const more = /FOR/.test(name) ? FORL_SLOTS : /ITER/.test(name) ? countBefore - 1 : 0;
  states.define(a + more, states.count);
  return true;
}

function scanBase(states: SlotStates, name: string, { a, c, d }: BytecodeFields): boolean {
  if (name === "KNIL") states.define(a, d + 1);
  else if (name === "TSETM") states.use(a - 1, states.count);
  else if (name === "VARG") return true;
  else {
    const isIteration = name.startsWith("ITER");
    const isTail = name === "CALLT" || name === "CALLMT";
    const args = isTail ? d : c;
    const top = name === "CALLM" || name === "CALLMT" || args === 0 ? states.count : a + args + 1;
    states.define(a + 1);
    states.use(a - (isIteration ? FORL_SLOTS : 0), top);
    states.define(top, states.count);
    if (isTail) states.define(0, a);
    return isTail;
  }
  return false;
}
