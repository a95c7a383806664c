// The canary of the fast interpreter. All interpreted subjects are wrong in the same way, so no
// subject differs.

import type { Input, Outcome } from "../../ir/outcome.js";
import { Oracle } from "../../oracle/fast/oracle.js";
import type { DecodedModule } from "../../oracle/fast/program.js";
import type { PlantedBug } from "./canary.js";

class ForgetfulOracle extends Oracle {
  override run(program: DecodedModule, input: Input, fuelMax: number): Outcome {
    const outcome = super.run(program, input, fuelMax);
    return { ...outcome, events: outcome.events.slice(0, -1) };
  }
}

export const callForgotten = (): PlantedBug => ({ oracle: new ForgetfulOracle() });
