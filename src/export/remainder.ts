// Defines the exact remainder of floats (`Mod`) as a procedure of the language, for formats without
// one.
//
// The procedure doubles the divisor while it fits into the dividend, and then halves it again. Each
// difference is exact, since the subtrahend is at least half the minuend.

import type { Procedure } from "../ir/procedure.js";
import { parseModule } from "../ir/text/parse.js";

const DOUBLES = `touchstone 1
proc remainder(Double @0, Double @1) -> Double
#0:
  Double @2 = Abs(@0)
  Double @3 = Abs(@1)
  Double @4 = ConstDouble(inf)
  Double @5 = ConstDouble(0.0)
  Double @6 = ConstDouble(0.5)
  Int32 @7 = LessThan(@2, @4)
  Int32 @8 = GreaterThan(@3, @5)
  Int32 @9 = BitAnd(@7, @8)
  Void @10 = Upsilon(@3, ^20)
  Void @11 = Branch(@9, #1, #6)
#1:
  Double @20 = Phi()
  Double @21 = Add(@20, @20)
  Int32 @22 = LessEqual(@21, @2)
  Void @23 = Upsilon(@21, ^20)
  Void @24 = Branch(@22, #1, #2)
#2:
  Void @30 = Upsilon(@2, ^40)
  Void @31 = Upsilon(@20, ^41)
  Void @32 = Jump(#3)
#3:
  Double @40 = Phi()
  Double @41 = Phi()
  Double @42 = Sub(@40, @41)
  Int32 @43 = GreaterEqual(@40, @41)
  Double @44 = Select(@43, @42, @40)
  Int32 @45 = Equal(@41, @3)
  Void @46 = Branch(@45, #5, #4)
#4:
  Double @50 = Mul(@41, @6)
  Void @51 = Upsilon(@44, ^40)
  Void @52 = Upsilon(@50, ^41)
  Void @53 = Jump(#3)
#5:
  Double @60 = CopySign(@44, @0)
  Void @61 = Return(@60)
#6:
  Double @70 = ConstDouble(nan:0x7ff8000000000000)
  Void @71 = Return(@70)
`;

/** Returns the remainder of Doubles. Floats use it too: the remainder of two Floats is a Float. */
export const remainderProcedure = (): Procedure => parseModule(DOUBLES).entry;
