// jsc --useConcurrentJIT=0 --thresholdForBBQOptimizeAfterWarmUp=0 --thresholdForBBQOptimizeSoon=0 --thresholdForOMGOptimizeAfterWarmUp=0 --thresholdForOMGOptimizeSoon=0 -m THIS
// Expected 0 -29 1 three times; JavaScriptCore 2.50.6 dies of SIGILL while OMG compiles f.
function i64(n) { const o = []; let v = BigInt(n); for (;;) { const b = Number(v & 0x7fn); v >>= 7n; if ((v === 0n && !(b & 0x40)) || (v === -1n && (b & 0x40))) { o.push(b); return o; } o.push(b | 0x80); } }
const keys = [0n, -1n, 1130315200594948n, 1125899906842624n, 40990419072317440n, 1n, 9223372036854775807n];
const body = []; for (let i = 0; i < keys.length; i++) body.push(0x02, 0x40);
keys.forEach((k, i) => body.push(0x20, 0, 0x42, ...i64(k), 0x51, 0x0d, i));
body.push(0x41, 99, 0x0f);
keys.forEach((k, i) => body.push(0x0b, 0x41, i, 0x0f));
body.push(0x0b);
const code = [0, ...body]; const leb = (n) => n < 128 ? [n] : [n & 127 | 128, n >> 7];
const sec = (id, c) => [id, ...leb(c.length), ...c];
const bytes = new Uint8Array([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0, ...sec(1, [1, 0x60, 1, 0x7e, 1, 0x7f]), ...sec(3, [1, 0]), ...sec(7, [1, 1, 0x66, 0, 0]), ...sec(10, [1, ...leb(code.length), ...code])]);
const { f } = new WebAssembly.Instance(new WebAssembly.Module(bytes)).exports;
for (let i = 0; i < 3; i++) print(f(0n), f(5n), f(-1n));
