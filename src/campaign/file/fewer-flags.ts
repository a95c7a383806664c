// Removes the flags of an engine that the difference does not need.

import type { EngineSubject } from "../../engine/engine-subject.js";
import type { Candidate } from "../../reduce/candidate.js";
import { remoteSignatureOf } from "../../reduce/remote-candidates.js";

/** Tries to remove each flag once, the last first; returns the engine itself if it has none. */
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
