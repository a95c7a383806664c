// Parses the first operand of a patchpoint, of a CCallCheck, of an ArgumentReg and of a Fence.

import { FENCES } from "../fences.js";
import { hostFunctionNamed } from "../host-functions.js";
import { patchpointNamed } from "../patchpoints.js";
import type { Value } from "../procedure.js";
import { isFloating } from "../types.js";
import { type Lexer, NUMBER_MAX } from "./lexer.js";
import { quote } from "./literals.js";

export function parseKind(lexer: Lexer, value: Value): void {
  const at = lexer.tokenStart();
  const name = lexer.name("the name of a kind of patchpoint");
  const kind = patchpointNamed(name);
  if (kind === null) lexer.fail(`no kind of patchpoint has the name ${quote(name)}`, at);
  else value.patchpointKind = kind.index;
}

/** Reads the name of a host function; the value contains its index. */
export function parseDeoptHost(lexer: Lexer, value: Value): void {
  const at = lexer.tokenStart();
  const name = lexer.name("the name of a host function");
  const host = hostFunctionNamed(name);
  if (host === null || !host.asks) {
    lexer.fail(`no host function that may request an exit has the name ${quote(name)}`, at);
  } else value.hostIndex = host.index;
}

/** Reads `loads`, `stores` or `all`. */
export function parseOrder(lexer: Lexer, value: Value): void {
  const at = lexer.tokenStart();
  const word = lexer.word();
  const order = FENCES.findIndex(({ name }) => name === word);
  if (order < 0) lexer.expected("'loads', 'stores' or 'all'", at);
  else value.fenceKind = order;
}

/** Reads `%a0` or `%f0`, depending on the type of the value. */
export function parseRegister(lexer: Lexer, value: Value): void {
  value.argumentIndex = lexer.id(registerPrefix(value), NUMBER_MAX);
}

export const registerPrefix = ({ type }: Value): string => (isFloating(type) ? "%f" : "%a");
