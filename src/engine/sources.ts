// What programs are written as for compilers that make executables: files by name, all of which the compiler is given.

import { exportC } from "../export/c/export-c.js";
import { exportLlvm, LLVM_DRIVER } from "../export/llvm/export-llvm.js";
import { exportLua } from "../export/lua/export-lua.js";
import type { Module } from "../ir/procedure.js";

export type Sources = (modules: readonly Module[]) => Readonly<Record<string, string>>;

export const C_SOURCES: Sources = (modules) => ({ "program.c": exportC(modules) });

export const LUA_SOURCES: Sources = (modules) => ({ "program.lua": exportLua(modules) });

export const LLVM_SOURCES: Sources = (modules) => ({
  "program.ll": exportLlvm(modules),
  "driver.c": LLVM_DRIVER,
});

/** A control: it says of each sum, difference and product that it does not overflow, which is false. */
export const FALSE_LLVM_SOURCES: Sources = (modules) => ({
  "program.ll": exportLlvm(modules).replace(/^( {2}%v\d+ = (?:add|sub|mul)) /gm, "$1 nsw "),
  "driver.c": LLVM_DRIVER,
});
