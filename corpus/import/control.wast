;; Structured control: labels inside and out, values that cross them, code that nothing reaches.

(module
  ;; The sum of the odd numbers below n, but no more than 100 of it: leaves two loops at once.
  (func (export "odd-sum") (param $n i32) (result i32) (local $i i32) (local $sum i32)
    (block $done
      (loop $next
        (br_if $done (i32.ge_s (local.get $i) (local.get $n)))
        (block $even
          (br_if $even (i32.eqz (i32.and (local.get $i) (i32.const 1))))
          (local.set $sum (i32.add (local.get $sum) (local.get $i)))
          (br_if $done (i32.gt_s (local.get $sum) (i32.const 100))))
        (local.set $i (i32.add (local.get $i) (i32.const 1)))
        (br $next)))
    (local.get $sum))

  ;; A loop whose state is on the operand stack.
  (func (export "power") (param $x i64) (param $n i32) (result i64)
    (i64.const 1)
    (local.get $n)
    (loop $next (param i64 i32) (result i64)
      (if (param i64) (result i64) 
        (then
          (local.get $x)
          (i64.mul)
          (local.set $n (i32.sub (local.get $n) (i32.const 1)))
          (local.get $n)
          (br $next)))))

  (func (export "table") (param $k i32) (result i32) (local $r i32)
    (block $other
      (block $two
        (block $one
          (block $zero
            (br_table $zero $one $two $one $other (local.get $k)))
          (return (i32.const 10)))
        (local.set $r (i32.const 20))
        (br $other))
      (local.set $r (i32.const 30)))
    (i32.add (local.get $r) (local.get $k)))

  ;; br_table with a value, and the same label twice.
  (func (export "table-value") (param $k i32) (result i32)
    (block $a (result i32)
      (block $b (result i32)
        (br_table $b $a $b (i32.const 7) (local.get $k)))
      (i32.mul (i32.const 3))))

  (func (export "swap-in-loop") (param $n i32) (param $x i32) (param $y i32) (result i32 i32) (local $t i32)
    (loop $next
      (if (i32.eqz (local.get $n)) (then (return (local.get $x) (local.get $y))))
      (local.set $t (local.get $x))
      (local.set $x (local.get $y))
      (local.set $y (local.get $t))
      (local.set $n (i32.sub (local.get $n) (i32.const 1)))
      (br $next))
    (unreachable))

  (func (export "dead") (param $x i32) (result i32)
    (block (result i32)
      (br 0 (local.get $x))
      (loop (br_if 0 (i32.const 1)) (unreachable))
      (if (result i32) (then (i32.const 1)) (else (i32.const 2)))
      (drop) (i32.const 3)))

  (func (export "select") (param $c i32) (result f64)
    (select (f64.const -0) (f64.const 1.5) (local.get $c)))

  (func (export "never") (param $x i32) (result i32)
    (if (local.get $x) (then (unreachable)))
    (i32.const 4)))

(assert_return (invoke "odd-sum" (i32.const 0)) (i32.const 0))
(assert_return (invoke "odd-sum" (i32.const 10)) (i32.const 25))
(assert_return (invoke "odd-sum" (i32.const 1000)) (i32.const 121))
(assert_return (invoke "power" (i64.const 3) (i32.const 0)) (i64.const 1))
(assert_return (invoke "power" (i64.const -3) (i32.const 5)) (i64.const -243))
(assert_return (invoke "table" (i32.const 0)) (i32.const 10))
(assert_return (invoke "table" (i32.const 1)) (i32.const 21))
(assert_return (invoke "table" (i32.const 2)) (i32.const 32))
(assert_return (invoke "table" (i32.const 3)) (i32.const 23))
(assert_return (invoke "table" (i32.const 4)) (i32.const 4))
(assert_return (invoke "table" (i32.const -1)) (i32.const -1))
(assert_return (invoke "table-value" (i32.const 0)) (i32.const 21))
(assert_return (invoke "table-value" (i32.const 1)) (i32.const 7))
(assert_return (invoke "table-value" (i32.const 2)) (i32.const 21))
(assert_return (invoke "swap-in-loop" (i32.const 3) (i32.const 1) (i32.const 2)) (i32.const 2) (i32.const 1))
(assert_return (invoke "swap-in-loop" (i32.const 4) (i32.const 1) (i32.const 2)) (i32.const 1) (i32.const 2))
(assert_return (invoke "dead" (i32.const 9)) (i32.const 9))
(assert_return (invoke "select" (i32.const 2)) (f64.const -0))
(assert_return (invoke "select" (i32.const 0)) (f64.const 1.5))
(assert_return (invoke "never" (i32.const 0)) (i32.const 4))
(assert_trap (invoke "never" (i32.const 1)) "unreachable")
(assert_invalid (module (func (result i32) (i64.const 0))) "type mismatch")
