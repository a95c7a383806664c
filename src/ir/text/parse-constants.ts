// Parses constants: literals of a type, and the opcodes that state the type of a constant.

import { opcodeNamed } from "../opcodes.js";
import { CONSTANT_OPCODES } from "../procedure.js";
import { nameOfType, type Type, VALUE_TYPES } from "../types.js";
import type { WordPair } from "../words.js";
import type { Lexer } from "./lexer.js";
import { readLiteral } from "./literals.js";

/** Reads a literal of the type. */
export function parseWords(lexer: Lexer, type: Type): WordPair {
  const start = lexer.tokenStart();
  const token = lexer.literal();
  if (token === "") lexer.expected(`a literal of type ${nameOfType(type)}`, start);
  const words = readLiteral(type, token);
  return typeof words === "string" ? lexer.fail(words, start) : words;
}

/** Reads the opcode of a constant, such as `Const32`. Returns its type. */
export function parseConstantType(lexer: Lexer): Type {
  const start = lexer.at;
  const opcode = opcodeNamed(lexer.word());
  const type = VALUE_TYPES.find((known) => CONSTANT_OPCODES[known] === opcode);
  return type ?? lexer.expected("a constant", start);
}
