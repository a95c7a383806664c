// Makes the page of a module's public names from the declarations that the compiler writes: types, and the comments
// before them. The compiler has no interface for generators of such documents.

import {
  isFunctionDeclaration,
  isInterfaceDeclaration,
  isPropertySignatureDeclaration,
  isTypeAliasDeclaration,
  isVariableStatement,
  type Node,
  type SourceFile,
} from "typescript/unstable/ast";
import { parse } from "../parse-sources.js";

/** A named declaration: a type, a function, a constant, or a member of an interface. */
interface NamedDeclaration {
  readonly name: string;
  /** `Judged.input` is a member. */
  readonly isMember: boolean;
  /** The declaration as the compiler writes it, without its leading keywords. */
  readonly text: string;
  /** The comment before it, as plain text; empty if there is none. */
  readonly comment: string;
}

/** @param declarations the text of a `.d.ts` */
export function declaredIn(declarations: string): NamedDeclaration[] {
  const [file] = parse(new Map([["module.d.ts", declarations]])).values();
  return file.statements.flatMap((statement) => declaredBy(statement, file));
}

function declaredBy(node: Node, file: SourceFile): NamedDeclaration[] {
  const comment = commentOf(node, file);
  const text = node.getText(file).replace(/^export (declare )?/, "");
  if (isVariableStatement(node)) {
    return node.declarationList.declarations.map(({ name }) => ({
      ...{ name: name.getText(file), isMember: false, text, comment },
    }));
  }
  if (isFunctionDeclaration(node)) {
    return [{ name: node.name?.text ?? "default", isMember: false, text, comment }];
  }
  if (isTypeAliasDeclaration(node)) {
    return [{ name: node.name.text, isMember: false, text, comment }];
  }
  if (!isInterfaceDeclaration(node)) return [];
  const { text: owner } = node.name;
  const members = node.members.filter(isPropertySignatureDeclaration).map((member) => ({
    name: `${owner}.${member.name.getText(file)}`,
    isMember: true,
    text: member.getText(file),
    comment: commentOf(member, file),
  }));
  return [{ name: owner, isMember: false, text: `interface ${owner}`, comment }, ...members];
}

/** Returns the last of several comments before a declaration. */
function commentOf(node: Node, file: SourceFile): string {
  const before = file.text.slice(node.pos, node.getStart(file));
  const start = before.lastIndexOf("/**");
  if (start < 0) return "";
  const inner = before.slice(start + "/**".length, before.indexOf("*/", start));
  return inner.replace(/^ *\* ?/gm, "").trim();
}

const HEAD = `# The names of the library

The exports of \`import { ... } from "touchstone"\`, as the compiler declares them. \`ci/api/api.test.ts\` makes this page from
\`src/library/library.ts\`. [library.md](library.md) is the overview.
`;

export function apiDocument(declared: readonly NamedDeclaration[]): string {
  const parts = declared.map(({ name, isMember, text, comment }) => {
    const says = comment.replace(/^@(\w+) /gm, "\n*$1*: ");
    if (isMember) return `- \`${text}\` ${says.replaceAll("\n", " ")}`;
    return ["", `## ${name}`, "", "```ts", text, "```", "", says, ""].join("\n");
  });
  return `${HEAD}${parts.join("\n")}\n`
    .replace(/\n{3,}/g, "\n\n")
    .trimEnd()
    .concat("\n");
}
