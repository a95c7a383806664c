// Replaces the native CPU in the page: a browser runs no native code.

import { InternalError } from "../../support/assert.js";

export class HostCpu {
  constructor() {
    throw new InternalError("the page has no native CPU");
  }
}
