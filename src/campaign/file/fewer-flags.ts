// An engine with as few of its flags as the difference needs.

import type { EngineSubject } from "../../engine/engine-subject.js";
import type { Candidate } from "../../reduce/candidate.js";
import { remoteSignatureOf } from "../../reduce/remote-jury.js";

/** Each flag is left out once, the last first; the engine itself where it has none. */
export async function withFewerFlags(
  program: Candidate,
  aspect: string | null,
  engine: EngineSubject,
): Promise<EngineSubject> {
  let best = engine;
  for (let f = (engine.withoutFlag?.length ?? 0) - 1; f >= 0; f--) {
    const fewer = best.withoutFlag?.[f]();
    if (fewer === undefined) break;
    if ((await remoteSignatureOf(program, fewer, aspect)) !== null) best = fewer;
  }
  return best;
}
