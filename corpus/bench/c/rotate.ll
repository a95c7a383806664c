source_filename = "rotate.c"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

; Function Attrs: noinline nounwind uwtable
define dso_local i32 @kernel(ptr noundef %heap, i32 noundef %n) #0 {
entry:
  %heap.addr = alloca ptr, align 8
  %n.addr = alloca i32, align 4
  %words = alloca ptr, align 8
  %a = alloca i32, align 4
  %b = alloca i32, align 4
  %c = alloca i32, align 4
  %d = alloca i32, align 4
  %i = alloca i32, align 4
  store ptr %heap, ptr %heap.addr, align 8
  store i32 %n, ptr %n.addr, align 4
  %0 = load ptr, ptr %heap.addr, align 8
  store ptr %0, ptr %words, align 8
  store i32 1, ptr %a, align 4
  store i32 2, ptr %b, align 4
  store i32 3, ptr %c, align 4
  store i32 4, ptr %d, align 4
  store i32 0, ptr %i, align 4
  br label %for.cond

for.cond:                                         ; preds = %for.inc, %entry
  %1 = load i32, ptr %i, align 4
  %2 = load i32, ptr %n.addr, align 4
  %cmp = icmp slt i32 %1, %2
  br i1 %cmp, label %for.body, label %for.end

for.body:                                         ; preds = %for.cond
  %3 = load i32, ptr %b, align 4
  %4 = load i32, ptr %a, align 4
  %add = add i32 %4, %3
  store i32 %add, ptr %a, align 4
  %5 = load i32, ptr %d, align 4
  %6 = load i32, ptr %a, align 4
  %xor = xor i32 %5, %6
  %call = call i32 @rotl(i32 noundef %xor, i32 noundef 16)
  store i32 %call, ptr %d, align 4
  %7 = load i32, ptr %d, align 4
  %8 = load i32, ptr %c, align 4
  %add1 = add i32 %8, %7
  store i32 %add1, ptr %c, align 4
  %9 = load i32, ptr %b, align 4
  %10 = load i32, ptr %c, align 4
  %xor2 = xor i32 %9, %10
  %call3 = call i32 @rotl(i32 noundef %xor2, i32 noundef 12)
  store i32 %call3, ptr %b, align 4
  %11 = load i32, ptr %b, align 4
  %12 = load i32, ptr %a, align 4
  %add4 = add i32 %12, %11
  store i32 %add4, ptr %a, align 4
  %13 = load i32, ptr %d, align 4
  %14 = load i32, ptr %a, align 4
  %xor5 = xor i32 %13, %14
  %call6 = call i32 @rotl(i32 noundef %xor5, i32 noundef 8)
  store i32 %call6, ptr %d, align 4
  %15 = load i32, ptr %d, align 4
  %16 = load i32, ptr %c, align 4
  %add7 = add i32 %16, %15
  store i32 %add7, ptr %c, align 4
  %17 = load i32, ptr %b, align 4
  %18 = load i32, ptr %c, align 4
  %xor8 = xor i32 %17, %18
  %call9 = call i32 @rotl(i32 noundef %xor8, i32 noundef 7)
  store i32 %call9, ptr %b, align 4
  %19 = load i32, ptr %a, align 4
  %20 = load ptr, ptr %words, align 8
  %21 = load i32, ptr %i, align 4
  %idxprom = sext i32 %21 to i64
  %arrayidx = getelementptr inbounds i32, ptr %20, i64 %idxprom
  %22 = load i32, ptr %arrayidx, align 4
  %call10 = call i32 @mix(i32 noundef %19, i32 noundef %22)
  store i32 %call10, ptr %a, align 4
  br label %for.inc

for.inc:                                          ; preds = %for.body
  %23 = load i32, ptr %i, align 4
  %inc = add nsw i32 %23, 1
  store i32 %inc, ptr %i, align 4
  br label %for.cond, !llvm.loop !6

for.end:                                          ; preds = %for.cond
  %24 = load i32, ptr %a, align 4
  %25 = load i32, ptr %b, align 4
  %xor11 = xor i32 %24, %25
  %26 = load i32, ptr %c, align 4
  %xor12 = xor i32 %xor11, %26
  %27 = load i32, ptr %d, align 4
  %xor13 = xor i32 %xor12, %27
  ret i32 %xor13
}

; Function Attrs: noinline nounwind uwtable
define internal i32 @rotl(i32 noundef %x, i32 noundef %count) #0 {
entry:
  %x.addr = alloca i32, align 4
  %count.addr = alloca i32, align 4
  store i32 %x, ptr %x.addr, align 4
  store i32 %count, ptr %count.addr, align 4
  %0 = load i32, ptr %x.addr, align 4
  %1 = load i32, ptr %count.addr, align 4
  %shl = shl i32 %0, %1
  %2 = load i32, ptr %x.addr, align 4
  %3 = load i32, ptr %count.addr, align 4
  %sub = sub nsw i32 32, %3
  %shr = lshr i32 %2, %sub
  %or = or i32 %shl, %shr
  ret i32 %or
}

; Function Attrs: noinline nounwind uwtable
define internal i32 @mix(i32 noundef %h, i32 noundef %word) #0 {
entry:
  %h.addr = alloca i32, align 4
  %word.addr = alloca i32, align 4
  store i32 %h, ptr %h.addr, align 4
  store i32 %word, ptr %word.addr, align 4
  %0 = load i32, ptr %word.addr, align 4
  %mul = mul i32 %0, -862048943
  store i32 %mul, ptr %word.addr, align 4
  %1 = load i32, ptr %word.addr, align 4
  %call = call i32 @rotl(i32 noundef %1, i32 noundef 15)
  store i32 %call, ptr %word.addr, align 4
  %2 = load i32, ptr %word.addr, align 4
  %mul1 = mul i32 %2, 461845907
  store i32 %mul1, ptr %word.addr, align 4
  %3 = load i32, ptr %word.addr, align 4
  %4 = load i32, ptr %h.addr, align 4
  %xor = xor i32 %4, %3
  store i32 %xor, ptr %h.addr, align 4
  %5 = load i32, ptr %h.addr, align 4
  %call2 = call i32 @rotl(i32 noundef %5, i32 noundef 13)
  store i32 %call2, ptr %h.addr, align 4
  %6 = load i32, ptr %h.addr, align 4
  %mul3 = mul i32 %6, 5
  %add = add i32 %mul3, -430675100
  ret i32 %add
}

attributes #0 = { noinline nounwind uwtable "frame-pointer"="all" "min-legal-vector-width"="0" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cmov,+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }

!llvm.module.flags = !{!0, !1, !2, !3, !4}

!0 = !{i32 1, !"wchar_size", i32 4}
!1 = !{i32 8, !"PIC Level", i32 2}
!2 = !{i32 7, !"PIE Level", i32 2}
!3 = !{i32 7, !"uwtable", i32 2}
!4 = !{i32 7, !"frame-pointer", i32 2}
!5 = !{!"Debian clang version 19.1.7 (3~deb12u1)"}
!6 = distinct !{!6, !7}
!7 = !{!"llvm.loop.mustprogress"}
