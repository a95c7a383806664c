// BUN_JSC_useConcurrentJIT=0 BUN_JSC_thresholdForBBQOptimizeAfterWarmUp=0 BUN_JSC_thresholdForBBQOptimizeSoon=0 BUN_JSC_thresholdForOMGOptimizeAfterWarmUp=0 BUN_JSC_thresholdForOMGOptimizeSoon=0 bun THIS
// In the shell of JavaScriptCore: jsc --useConcurrentJIT=0 (and so on) -m THIS
// Expected 12 three times: the memory is 0. OMG of bun 1.4.5 prints 13, then the contents of a register.
// (module (memory 1) (func (export "f") (param i32) (result i64) (local $l i64) (local $a i32) (local $b i32) (local $r i64)
//   (loop $top
//     (local.set $l (i64.load (local.get 0)))
//     (local.set $a (i32.load (local.get 0)))
//     (local.set $b (i32.load (local.get 0)))
//     (local.set $r (i64.add (i64.add (i64.xor (i64.extend_i32_u (local.get $b)) (i64.const 12))
//                                    (i64.extend_i32_u (local.get $a)))
//                           (local.get $l)))
//     (if (local.get 0) (then (local.set 0 (i32.const 0)) (br $top))))
//   (local.get $r)))
const text = "AGFzbQEAAAABBgFgAX8BfgMCAQAFAwEAAQcOAgZtZW1vcnkCAAFmAAAKPgE8AwF+An8BfgNAIAApAwAhASAAKAIAIQIgACgCACEDIAOtQgyFIAKtfCABfCEEIAAEQEEAIQAMAQsLIAQL";
const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const bytes = [];
let [bits, count] = [0, 0];
for (const c of text.replaceAll("=", "")) {
  bits = (bits << 6) | digits.indexOf(c);
  count += 6;
  if (count >= 8) bytes.push((bits >> (count -= 8)) & 255);
}
const { f } = new WebAssembly.Instance(new WebAssembly.Module(new Uint8Array(bytes))).exports;
for (let i = 0; i < 3; i++) (globalThis.print ?? console.log)(String(f(0)));
