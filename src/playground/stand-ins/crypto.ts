// Replaces `node:crypto` in the page: programs from outside, which have hashes, do not exist there.

import { InternalError } from "../../support/assert.js";

export function createHash(): never {
  throw new InternalError("the page computes no hash");
}
