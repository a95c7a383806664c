// Where a difference comes from, as far as it was located.

import type { Behind } from "./behind-optimizer.js";
import type { Guilty } from "./guilty-application.js";

export type Located = ({ readonly stage: "optimizer" } & Guilty) | Behind;
