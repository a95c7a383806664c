// Judges candidates of a reduction with a remote subject: like `InterestTest`, for a subject that answers asynchronously.
// Several candidates run in one batch. In a process that runs a batch, a program may differ only because of state that
// the others left, such as hot code of a tracing engine. So a chosen candidate has shown the difference alone. If the
// result needs the state of earlier candidates nevertheless, each chosen one gets a process of its own.

import { type ExecutionJudgement, Judge, type ProgramResult } from "../compare/judge-program.js";
import type { RemoteSubject } from "../execute/subject.js";
import { type Ending, isJudged } from "../ir/outcome.js";
import { verify } from "../ir/verify/verify.js";
import { decodeModule } from "../oracle/fast/decode.js";
import { DEFAULT_FUEL } from "../oracle/fuel.js";
import { InternalError } from "../support/assert.js";
import type { Candidate } from "./candidate.js";
import { fuelFor } from "./interest.js";
import type { CandidateJudge } from "./reduce-together.js";
import { NONE } from "./schedule.js";
import {
  isSameSignature,
  type ReductionSignature,
  signatureOf,
  signatureOfError,
} from "./signature.js";

/** The signature to keep: the difference; if a process died or wrote garbage, the words of its evidence too. */
interface RemoteSignature {
  readonly signature: ReductionSignature;
  readonly words: string | null;
}

/** The number of new processes that show the difference of a result. */
const LASTING_RUNS = 2;

export class RemoteCandidateJudge implements CandidateJudge {
  readonly width: number;
  private readonly subject: RemoteSubject;
  private readonly signature: RemoteSignature;
  private readonly fuelMax: number;
  private judge: Judge;
  /** Whether a chosen candidate has shown the difference in a process of its own. */
  private isApart = false;

  /** @param start the program under reduction: its fuel limits that of candidates */
  constructor(
    start: Candidate,
    subject: RemoteSubject,
    wanted: RemoteSignature,
    options: { readonly fuelMax: number; readonly width: number },
  ) {
    this.subject = subject;
    this.signature = wanted;
    this.width = options.width;
    this.fuelMax = fuelFor(start, { subjects: [], fuelMax: options.fuelMax });
    this.judge = this.open();
  }

  async firstOf(batch: readonly Candidate[]): Promise<number> {
    const asked = batch.flatMap((candidate, c) => (this.isProgram(candidate) ? c : []));
    const shown = await this.signaturesOf(asked.map((c) => batch[c]));
    for (let i = 0; i < asked.length; i++) {
      if (!this.isWanted(shown[i])) continue;
      if (asked.length === 1 && !this.isApart) return asked[i];
      if (await this.isShownAlone(batch[asked[i]])) return asked[i];
    }
    return NONE;
  }

  async isLasting(best: Candidate): Promise<boolean> {
    this.isApart = true;
    for (let run = 0; run < LASTING_RUNS; run++) {
      if (!(await this.isShownAlone(best))) return false;
    }
    return true;
  }

  private async isShownAlone(candidate: Candidate): Promise<boolean> {
    if (this.isApart) this.reopen();
    const [alone] = await this.signaturesOf([candidate]);
    return this.isWanted(alone);
  }

  private reopen(): void {
    this.judge.close();
    this.judge = this.open();
  }

  private isWanted(shown: readonly RemoteSignature[]): boolean {
    return shown.some((one) => isSameRemote(one, this.signature));
  }

  close(): void {
    this.judge.close();
  }

  private open(): Judge {
    return new Judge({ subjects: [this.subject], fuelMax: this.fuelMax });
  }

  /** Returns whether the candidate is valid, and the oracle judges at least one execution. */
  private isProgram({ module, inputs }: Candidate): boolean {
    if (verify(module).length > 0) return false;
    const program = decodeModule(module);
    return inputs.some((input) => isJudged(this.judge.oracle.run(program, input, this.fuelMax)));
  }

  /** Returns the signatures by candidate. If the harness throws, it judges each candidate alone. */
  private async signaturesOf(candidates: readonly Candidate[]): Promise<RemoteSignature[][]> {
    if (candidates.length === 0) return [];
    try {
      const judged = await this.judge.judgeAll(candidates);
      return judged.map(remoteSignaturesIn);
    } catch (error) {
      if (!(error instanceof InternalError)) throw error;
      this.reopen();
      if (candidates.length === 1) return [[{ signature: signatureOfError(error), words: null }]];
      const alone: RemoteSignature[][] = [];
      for (const candidate of candidates) alone.push(...(await this.signaturesOf([candidate])));
      return alone;
    }
  }
}

/** Returns the signature of the first difference of the aspect, or of any aspect; null if there is none. */
export async function remoteSignatureOf(
  { module, inputs }: Candidate,
  subject: RemoteSubject,
  aspect: string | null,
): Promise<RemoteSignature | null> {
  const judge = new Judge({ subjects: [subject], fuelMax: DEFAULT_FUEL });
  try {
    const [result] = await judge.judgeAll([{ module, inputs }]);
    const all = remoteSignaturesIn(result);
    const isIt = ({ signature }: RemoteSignature): boolean =>
      aspect === null || ("aspect" in signature && signature.aspect === aspect);
    return all.find(isIt) ?? null;
  } finally {
    judge.close();
  }
}

/** Returns the signature of each difference of one program, in the order of subjects and inputs. */
const remoteSignaturesIn = ({ results }: ProgramResult): RemoteSignature[] =>
  results.flatMap(({ subject, judgements }) =>
    judgements.flatMap((judgement) => {
      const signature = signatureOf(subject, judgement);
      return signature === null ? [] : { signature, words: evidenceWords(judgement) };
    }),
  );

const WORDS_MAX = 60;

/**
 * Returns the words of the evidence, without numbers, which depend on the program, and without the text after a
 * semicolon, which depends on the execution.
 */
function evidenceWords({ outcome }: ExecutionJudgement): string | null {
  const text = outcome === null ? null : evidenceOf(outcome.ending);
  return text === null ? null : text.split(";")[0].replace(/\d+/g, "N").slice(0, WORDS_MAX);
}

function evidenceOf(ending: Ending): string | null {
  if ("evidence" in ending) return ending.evidence;
  return ending.kind === "compile-error" ? ending.message : null;
}

const isSameRemote = (x: RemoteSignature, y: RemoteSignature): boolean =>
  x.words === y.words && isSameSignature(x.signature, y.signature);
