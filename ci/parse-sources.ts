// Parses texts that need not be on the disk, by the compiler's own parser.
//
// The parser runs in a process of its own, which reads files through this module: it gets the given texts and no
// others, so a planted violation is parsed in the same way as the project.

import { posix } from "node:path";
import type { SourceFile } from "typescript/unstable/ast";
import { API } from "typescript/unstable/sync";
import { assert } from "../src/support/assert.js";
import type { ProjectFiles } from "./project-files.js";

const virtualFiles = new Map<string, string>();
const virtualFolders = new Set<string>();
let parser: API | null = null;
let projectCount = 0;

/** Started by the first use; it ends with this process. */
function startedParser(): API {
  parser ??= new API({
    cwd: "/",
    fs: {
      readFile: (path) => virtualFiles.get(path) ?? null,
      fileExists: (path) => virtualFiles.has(path),
      directoryExists: (path) => virtualFolders.has(path),
      getAccessibleEntries: () => ({ files: [], directories: [] }),
      realpath: (path) => path,
    },
  });
  return parser;
}

function addVirtualFile(path: string, text: string): void {
  virtualFiles.set(path, text);
  for (let folder = posix.dirname(path); folder !== "/"; folder = posix.dirname(folder)) {
    virtualFolders.add(folder);
  }
}

export function parse(files: ProjectFiles): Map<string, SourceFile> {
  const root = `/project-${projectCount++}`;
  const config = `${root}/tsconfig.json`;
  const compilerOptions = { allowJs: true, noLib: true, noResolve: true, types: [] };
  addVirtualFile(config, JSON.stringify({ compilerOptions, files: [...files.keys()] }));
  for (const [path, text] of files) addVirtualFile(`${root}/${path}`, text);
  const project = startedParser()
    .updateSnapshot({ openProjects: [config] })
    .getProject(config);
  assert(project !== undefined, () => `the parser does not open ${config}`);
  const parsed = new Map<string, SourceFile>();
  for (const path of files.keys()) {
    const file = project.program.getSourceFile(`${root}/${path}`);
    assert(file !== undefined, () => `the parser does not give ${path}`);
    parsed.set(path, file);
  }
  return parsed;
}
