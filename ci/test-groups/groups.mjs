// The table of test files that share a process in `npm test`, and the order in which the processes start: long ones
// first.
//
// The first row whose pattern matches a file takes it. A file is alone if its tests wait for other processes at the
// same time, which tests of a group do one after another, or if its row gives a reason.

// biome-ignore format: a table
export const GROUPS = [
  { name: "judging",      files: /^src\/(?!execute\/(emulator|host)\/)(bytecode|campaign|compare|execute|localize|record|reduce|report)\// },
  { name: "fuzz",         files: /^fuzz\/(?!commands|false-claims)/ },
  { name: "claims",       files: /^fuzz\/false-claims/ },           // plants a bug in the compiler of its process
  { name: "language",     files: /^(reference\/|src\/(?!(execute|fleet|store)\/))/ },
  { name: "commands",     files: /^fuzz\/commands/ },               // waits for campaigns
  { name: "machines",     files: /^src\/execute\// },               // its first file measures the memory of its process
  { name: "faults",       files: /^ci\/faults\// },                 // waits for hanging processes
  { name: "fleet",        files: /^src\/fleet\// },                 // waits for a server, which a hook starts
  { name: "store",        files: /^src\/store\// },                 // one embedded database after another
  { name: "project",      files: /./ },
];

/**
 * @param files paths below `build`, with slashes
 * @returns the groups that have files, in the order of the table: `{ name, files }`
 */
export function groupsOf(files) {
  const groups = GROUPS.map(({ name }) => ({ name, files: [] }));
  for (const file of [...files].sort()) {
    groups[GROUPS.findIndex((row) => row.files.test(file))].files.push(file);
  }
  return groups.filter((group) => group.files.length > 0);
}
