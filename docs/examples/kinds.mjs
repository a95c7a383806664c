// Defines a kind of patchpoint: x * 8 + y in any register, with one scratch register.
import { arm64, definePatchpoint, x64 } from "touchstone/patchpoints";

definePatchpoint({
  name: "scaledSum",
  takes: ["Int64 register", "Int64 warm"],
  gives: "Int64 register",
  scratch: ["general"],
  effect: "pure",
  total: true,
  says: "8 x + y.",
  meaning: (x, y) => BigInt.asIntN(64, 8n * x + y),
  x64(asm, p) {
    const sum = p.scratch(0);
    asm.rr(x64.codes.movq, sum, p.register(0));
    asm.ri(x64.codes.shlqImm8, sum, 3);
    x64.take(asm, p, x64.codes.addq, sum, 1);
    asm.rr(x64.codes.movq, p.result, sum);
  },
  arm64(asm, p) {
    const [scratch] = arm64.scratch;
    const y = arm64.take(asm, p, "x", scratch, 1);
    asm.dm(arm64.codes.movx, p.scratch(0), p.register(0));
    for (let i = 0; i < 3; i++) {
      asm.dnm(arm64.codes.addx, p.scratch(0), p.scratch(0), p.scratch(0));
    }
    asm.dnm(arm64.codes.addx, p.result, p.scratch(0), y);
  },
  expansion: "Add(Shl(x, 3), y)",
});
