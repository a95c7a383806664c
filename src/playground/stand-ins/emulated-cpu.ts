// Replaces the emulator in the page: libunicorn is a native library.

import { InternalError } from "../../support/assert.js";

export class EmulatedCpu {
  constructor() {
    throw new InternalError("the page has no emulator");
  }
}
