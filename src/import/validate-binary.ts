// Validates a binary with V8, which is hardened against hostile input.

import { errorAt, ImportError } from "./import-error.js";
import { refuse64Bit } from "./sections.js";

/** The part of WebAssembly's interface that this file uses. */
declare const WebAssembly: {
  readonly validate: (bytes: Uint8Array) => boolean;
  readonly Module: new (bytes: Uint8Array) => object;
};

/** @throws ImportError with the location */
export function validateBinary(bytes: Uint8Array): void {
  refuse64Bit(bytes);
  if (WebAssembly.validate(bytes)) return;
  try {
    new WebAssembly.Module(bytes);
  } catch (error) {
    throw refusalOf(error instanceof Error ? error.message : "");
  }
  throw new ImportError("the module is not valid");
}

const PREFIX = /^WebAssembly\.Module\(\): /;
const PLACE = / @\+(\d+)$/;
const FEATURE = /enable (?:with|via) --experimental-(?:wasm-)?([\w-]+)/;
const LIMIT = /exceeds internal limit|size limit|larger than|> maximum|maximum function size/;

function refusalOf(message: string): ImportError {
  const at = Number(PLACE.exec(message)?.[1] ?? 0);
  const [, feature] = FEATURE.exec(message) ?? [];
  if (feature !== undefined) return errorAt(at, `${feature} is outside of the import`);
  const text = message.replace(PREFIX, "").replace(PLACE, "");
  return errorAt(at, LIMIT.test(text) ? `outside of the import: ${text}` : text);
}
