// Removes folders of reports that no summary lists: a killed process left them.

import { readdirSync } from "node:fs";
import { join } from "node:path";
import { FINDING_KINDS } from "../../report/finding.js";
import { removeAll } from "../../support/whole-file.js";

const ID = new RegExp(`^(${FINDING_KINDS.join("|")})-[0-9a-f]{12}$`);

/**
 * Removes the reports from the folder of a campaign, except those with these ids.
 * @throws MachineError
 */
export function removeReportsBut(ids: ReadonlySet<string>, folder: string): void {
  for (const name of readdirSync(folder)) {
    if (ID.test(name) && !ids.has(name)) removeAll(join(folder, name));
  }
}
