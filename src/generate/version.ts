/**
 * Names what seeds mean: the first 64 bits of the SHA-256 of all that a program's choices depend
 * on. A seed replays within a version; a test keeps the constant honest and prints the line to put
 * here.
 */
export const generatorVersion = "66472135e5407f54";
