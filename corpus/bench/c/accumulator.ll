source_filename = "accumulator.c"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

; Function Attrs: noinline nounwind uwtable
define dso_local i32 @kernel(ptr noundef %heap, i32 noundef %n) #0 {
entry:
  %heap.addr = alloca ptr, align 8
  %n.addr = alloca i32, align 4
  %code = alloca ptr, align 8
  %at = alloca i32, align 4
  store ptr %heap, ptr %heap.addr, align 8
  store i32 %n, ptr %n.addr, align 4
  %0 = load ptr, ptr %heap.addr, align 8
  %add.ptr = getelementptr inbounds i8, ptr %0, i64 1024
  store ptr %add.ptr, ptr %code, align 8
  store i32 0, ptr %at, align 4
  %1 = load ptr, ptr %code, align 8
  %2 = load i32, ptr %at, align 4
  %inc = add nsw i32 %2, 1
  store i32 %inc, ptr %at, align 4
  %idxprom = sext i32 %2 to i64
  %arrayidx = getelementptr inbounds i8, ptr %1, i64 %idxprom
  store i8 76, ptr %arrayidx, align 1
  %3 = load ptr, ptr %code, align 8
  %4 = load i32, ptr %at, align 4
  %inc1 = add nsw i32 %4, 1
  store i32 %inc1, ptr %at, align 4
  %idxprom2 = sext i32 %4 to i64
  %arrayidx3 = getelementptr inbounds i8, ptr %3, i64 %idxprom2
  store i8 77, ptr %arrayidx3, align 1
  %5 = load ptr, ptr %code, align 8
  %6 = load i32, ptr %at, align 4
  %inc4 = add nsw i32 %6, 1
  store i32 %inc4, ptr %at, align 4
  %idxprom5 = sext i32 %6 to i64
  %arrayidx6 = getelementptr inbounds i8, ptr %5, i64 %idxprom5
  store i8 63, ptr %arrayidx6, align 1
  %7 = load ptr, ptr %code, align 8
  %8 = load i32, ptr %at, align 4
  %inc7 = add nsw i32 %8, 1
  store i32 %inc7, ptr %at, align 4
  %idxprom8 = sext i32 %8 to i64
  %arrayidx9 = getelementptr inbounds i8, ptr %7, i64 %idxprom8
  store i8 67, ptr %arrayidx9, align 1
  %9 = load ptr, ptr %code, align 8
  %10 = load i32, ptr %at, align 4
  %inc10 = add nsw i32 %10, 1
  store i32 %inc10, ptr %at, align 4
  %idxprom11 = sext i32 %10 to i64
  %arrayidx12 = getelementptr inbounds i8, ptr %9, i64 %idxprom11
  store i8 2, ptr %arrayidx12, align 1
  %11 = load ptr, ptr %code, align 8
  %12 = load i32, ptr %at, align 4
  %inc13 = add nsw i32 %12, 1
  store i32 %inc13, ptr %at, align 4
  %idxprom14 = sext i32 %12 to i64
  %arrayidx15 = getelementptr inbounds i8, ptr %11, i64 %idxprom14
  store i8 94, ptr %arrayidx15, align 1
  %13 = load ptr, ptr %code, align 8
  %14 = load i32, ptr %at, align 4
  %inc16 = add nsw i32 %14, 1
  store i32 %inc16, ptr %at, align 4
  %idxprom17 = sext i32 %14 to i64
  %arrayidx18 = getelementptr inbounds i8, ptr %13, i64 %idxprom17
  store i8 90, ptr %arrayidx18, align 1
  %15 = load ptr, ptr %code, align 8
  %16 = load i32, ptr %at, align 4
  %inc19 = add nsw i32 %16, 1
  store i32 %inc19, ptr %at, align 4
  %idxprom20 = sext i32 %16 to i64
  %arrayidx21 = getelementptr inbounds i8, ptr %15, i64 %idxprom20
  store i8 60, ptr %arrayidx21, align 1
  %17 = load ptr, ptr %code, align 8
  %18 = load i32, ptr %at, align 4
  %inc22 = add nsw i32 %18, 1
  store i32 %inc22, ptr %at, align 4
  %idxprom23 = sext i32 %18 to i64
  %arrayidx24 = getelementptr inbounds i8, ptr %17, i64 %idxprom23
  store i8 67, ptr %arrayidx24, align 1
  %19 = load ptr, ptr %code, align 8
  %20 = load i32, ptr %at, align 4
  %inc25 = add nsw i32 %20, 1
  store i32 %inc25, ptr %at, align 4
  %idxprom26 = sext i32 %20 to i64
  %arrayidx27 = getelementptr inbounds i8, ptr %19, i64 %idxprom26
  store i8 1, ptr %arrayidx27, align 1
  %21 = load ptr, ptr %code, align 8
  %22 = load i32, ptr %at, align 4
  %inc28 = add nsw i32 %22, 1
  store i32 %inc28, ptr %at, align 4
  %idxprom29 = sext i32 %22 to i64
  %arrayidx30 = getelementptr inbounds i8, ptr %21, i64 %idxprom29
  store i8 62, ptr %arrayidx30, align 1
  %23 = load ptr, ptr %code, align 8
  %24 = load i32, ptr %at, align 4
  %inc31 = add nsw i32 %24, 1
  store i32 %inc31, ptr %at, align 4
  %idxprom32 = sext i32 %24 to i64
  %arrayidx33 = getelementptr inbounds i8, ptr %23, i64 %idxprom32
  store i8 83, ptr %arrayidx33, align 1
  %25 = load ptr, ptr %code, align 8
  %26 = load i32, ptr %at, align 4
  %inc34 = add nsw i32 %26, 1
  store i32 %inc34, ptr %at, align 4
  %idxprom35 = sext i32 %26 to i64
  %arrayidx36 = getelementptr inbounds i8, ptr %25, i64 %idxprom35
  store i8 73, ptr %arrayidx36, align 1
  %27 = load ptr, ptr %code, align 8
  %28 = load i32, ptr %at, align 4
  %inc37 = add nsw i32 %28, 1
  store i32 %inc37, ptr %at, align 4
  %idxprom38 = sext i32 %28 to i64
  %arrayidx39 = getelementptr inbounds i8, ptr %27, i64 %idxprom38
  store i8 43, ptr %arrayidx39, align 1
  %29 = load ptr, ptr %code, align 8
  %30 = load i32, ptr %at, align 4
  %inc40 = add nsw i32 %30, 1
  store i32 %inc40, ptr %at, align 4
  %idxprom41 = sext i32 %30 to i64
  %arrayidx42 = getelementptr inbounds i8, ptr %29, i64 %idxprom41
  store i8 45, ptr %arrayidx42, align 1
  %31 = load ptr, ptr %code, align 8
  %32 = load i32, ptr %at, align 4
  %inc43 = add nsw i32 %32, 1
  store i32 %inc43, ptr %at, align 4
  %idxprom44 = sext i32 %32 to i64
  %arrayidx45 = getelementptr inbounds i8, ptr %31, i64 %idxprom44
  store i8 3, ptr %arrayidx45, align 1
  %33 = load ptr, ptr %code, align 8
  %34 = load i32, ptr %at, align 4
  %inc46 = add nsw i32 %34, 1
  store i32 %inc46, ptr %at, align 4
  %idxprom47 = sext i32 %34 to i64
  %arrayidx48 = getelementptr inbounds i8, ptr %33, i64 %idxprom47
  store i8 83, ptr %arrayidx48, align 1
  %35 = load ptr, ptr %code, align 8
  %36 = load i32, ptr %at, align 4
  %inc49 = add nsw i32 %36, 1
  store i32 %inc49, ptr %at, align 4
  %idxprom50 = sext i32 %36 to i64
  %arrayidx51 = getelementptr inbounds i8, ptr %35, i64 %idxprom50
  store i8 68, ptr %arrayidx51, align 1
  %37 = load ptr, ptr %code, align 8
  %38 = load i32, ptr %at, align 4
  %inc52 = add nsw i32 %38, 1
  store i32 %inc52, ptr %at, align 4
  %idxprom53 = sext i32 %38 to i64
  %arrayidx54 = getelementptr inbounds i8, ptr %37, i64 %idxprom53
  store i8 78, ptr %arrayidx54, align 1
  %39 = load ptr, ptr %code, align 8
  %40 = load i32, ptr %at, align 4
  %inc55 = add nsw i32 %40, 1
  store i32 %inc55, ptr %at, align 4
  %idxprom56 = sext i32 %40 to i64
  %arrayidx57 = getelementptr inbounds i8, ptr %39, i64 %idxprom56
  store i8 -20, ptr %arrayidx57, align 1
  %41 = load ptr, ptr %code, align 8
  %42 = load i32, ptr %at, align 4
  %inc58 = add nsw i32 %42, 1
  store i32 %inc58, ptr %at, align 4
  %idxprom59 = sext i32 %42 to i64
  %arrayidx60 = getelementptr inbounds i8, ptr %41, i64 %idxprom59
  store i8 81, ptr %arrayidx60, align 1
  %43 = load ptr, ptr %code, align 8
  %44 = load ptr, ptr %heap.addr, align 8
  %45 = load i32, ptr %n.addr, align 4
  %call = call i32 @run(ptr noundef %43, ptr noundef %44, i32 noundef %45)
  ret i32 %call
}

; Function Attrs: noinline nounwind uwtable
define internal i32 @run(ptr noundef %code, ptr noundef %memory, i32 noundef %y) #0 {
entry:
  %retval = alloca i32, align 4
  %code.addr = alloca ptr, align 8
  %memory.addr = alloca ptr, align 8
  %y.addr = alloca i32, align 4
  %pc = alloca ptr, align 8
  %a = alloca i32, align 4
  %x = alloca i32, align 4
  %carry = alloca i32, align 4
  %sum = alloca i32, align 4
  %by = alloca i32, align 4
  %low = alloca i32, align 4
  %offset = alloca i32, align 4
  %offset36 = alloca i32, align 4
  store ptr %code, ptr %code.addr, align 8
  store ptr %memory, ptr %memory.addr, align 8
  store i32 %y, ptr %y.addr, align 4
  %0 = load ptr, ptr %code.addr, align 8
  store ptr %0, ptr %pc, align 8
  store i32 0, ptr %a, align 4
  store i32 0, ptr %x, align 4
  store i32 0, ptr %carry, align 4
  br label %for.cond

for.cond:                                         ; preds = %sw.epilog, %entry
  %1 = load ptr, ptr %pc, align 8
  %incdec.ptr = getelementptr inbounds i8, ptr %1, i32 1
  store ptr %incdec.ptr, ptr %pc, align 8
  %2 = load i8, ptr %1, align 1
  %conv = zext i8 %2 to i32
  switch i32 %conv, label %sw.default [
    i32 61, label %sw.bb
    i32 76, label %sw.bb3
    i32 83, label %sw.bb4
    i32 43, label %sw.bb8
    i32 45, label %sw.bb10
    i32 94, label %sw.bb15
    i32 60, label %sw.bb18
    i32 62, label %sw.bb19
    i32 88, label %sw.bb23
    i32 65, label %sw.bb24
    i32 73, label %sw.bb25
    i32 68, label %sw.bb26
    i32 89, label %sw.bb27
    i32 78, label %sw.bb30
    i32 67, label %sw.bb35
    i32 77, label %sw.bb43
    i32 63, label %sw.bb49
    i32 81, label %sw.bb52
  ]

sw.bb:                                            ; preds = %for.cond
  %3 = load ptr, ptr %pc, align 8
  %incdec.ptr1 = getelementptr inbounds i8, ptr %3, i32 1
  store ptr %incdec.ptr1, ptr %pc, align 8
  %4 = load i8, ptr %3, align 1
  %conv2 = zext i8 %4 to i32
  store i32 %conv2, ptr %a, align 4
  br label %sw.epilog

sw.bb3:                                           ; preds = %for.cond
  %5 = load ptr, ptr %memory.addr, align 8
  %6 = load i32, ptr %x, align 4
  %and = and i32 %6, 63
  %idxprom = zext i32 %and to i64
  %arrayidx = getelementptr inbounds i32, ptr %5, i64 %idxprom
  %7 = load i32, ptr %arrayidx, align 4
  store i32 %7, ptr %a, align 4
  br label %sw.epilog

sw.bb4:                                           ; preds = %for.cond
  %8 = load i32, ptr %a, align 4
  %9 = load ptr, ptr %memory.addr, align 8
  %10 = load i32, ptr %x, align 4
  %and5 = and i32 %10, 63
  %idxprom6 = zext i32 %and5 to i64
  %arrayidx7 = getelementptr inbounds i32, ptr %9, i64 %idxprom6
  store i32 %8, ptr %arrayidx7, align 4
  br label %sw.epilog

sw.bb8:                                           ; preds = %for.cond
  %11 = load i32, ptr %a, align 4
  %12 = load i32, ptr %x, align 4
  %add = add i32 %11, %12
  store i32 %add, ptr %sum, align 4
  %13 = load i32, ptr %sum, align 4
  %14 = load i32, ptr %a, align 4
  %cmp = icmp ult i32 %13, %14
  %conv9 = zext i1 %cmp to i32
  store i32 %conv9, ptr %carry, align 4
  %15 = load i32, ptr %sum, align 4
  store i32 %15, ptr %a, align 4
  br label %sw.epilog

sw.bb10:                                          ; preds = %for.cond
  %16 = load ptr, ptr %pc, align 8
  %incdec.ptr11 = getelementptr inbounds i8, ptr %16, i32 1
  store ptr %incdec.ptr11, ptr %pc, align 8
  %17 = load i8, ptr %16, align 1
  %conv12 = zext i8 %17 to i32
  store i32 %conv12, ptr %by, align 4
  %18 = load i32, ptr %a, align 4
  %19 = load i32, ptr %by, align 4
  %cmp13 = icmp ult i32 %18, %19
  %conv14 = zext i1 %cmp13 to i32
  store i32 %conv14, ptr %carry, align 4
  %20 = load i32, ptr %by, align 4
  %21 = load i32, ptr %a, align 4
  %sub = sub i32 %21, %20
  store i32 %sub, ptr %a, align 4
  br label %sw.epilog

sw.bb15:                                          ; preds = %for.cond
  %22 = load ptr, ptr %pc, align 8
  %incdec.ptr16 = getelementptr inbounds i8, ptr %22, i32 1
  store ptr %incdec.ptr16, ptr %pc, align 8
  %23 = load i8, ptr %22, align 1
  %conv17 = zext i8 %23 to i32
  %24 = load i32, ptr %a, align 4
  %xor = xor i32 %24, %conv17
  store i32 %xor, ptr %a, align 4
  br label %sw.epilog

sw.bb18:                                          ; preds = %for.cond
  %25 = load i32, ptr %a, align 4
  %shr = lshr i32 %25, 31
  store i32 %shr, ptr %carry, align 4
  %26 = load i32, ptr %a, align 4
  %shl = shl i32 %26, 1
  store i32 %shl, ptr %a, align 4
  br label %sw.epilog

sw.bb19:                                          ; preds = %for.cond
  %27 = load i32, ptr %a, align 4
  %and20 = and i32 %27, 1
  store i32 %and20, ptr %low, align 4
  %28 = load i32, ptr %a, align 4
  %shr21 = lshr i32 %28, 1
  %29 = load i32, ptr %carry, align 4
  %shl22 = shl i32 %29, 31
  %or = or i32 %shr21, %shl22
  store i32 %or, ptr %a, align 4
  %30 = load i32, ptr %low, align 4
  store i32 %30, ptr %carry, align 4
  br label %sw.epilog

sw.bb23:                                          ; preds = %for.cond
  %31 = load i32, ptr %a, align 4
  store i32 %31, ptr %x, align 4
  br label %sw.epilog

sw.bb24:                                          ; preds = %for.cond
  %32 = load i32, ptr %x, align 4
  store i32 %32, ptr %a, align 4
  br label %sw.epilog

sw.bb25:                                          ; preds = %for.cond
  %33 = load i32, ptr %x, align 4
  %inc = add i32 %33, 1
  store i32 %inc, ptr %x, align 4
  br label %sw.epilog

sw.bb26:                                          ; preds = %for.cond
  %34 = load i32, ptr %y.addr, align 4
  %dec = add i32 %34, -1
  store i32 %dec, ptr %y.addr, align 4
  br label %sw.epilog

sw.bb27:                                          ; preds = %for.cond
  %35 = load ptr, ptr %pc, align 8
  %incdec.ptr28 = getelementptr inbounds i8, ptr %35, i32 1
  store ptr %incdec.ptr28, ptr %pc, align 8
  %36 = load i8, ptr %35, align 1
  %conv29 = zext i8 %36 to i32
  store i32 %conv29, ptr %y.addr, align 4
  br label %sw.epilog

sw.bb30:                                          ; preds = %for.cond
  %37 = load ptr, ptr %pc, align 8
  %incdec.ptr31 = getelementptr inbounds i8, ptr %37, i32 1
  store ptr %incdec.ptr31, ptr %pc, align 8
  %38 = load i8, ptr %37, align 1
  %conv32 = sext i8 %38 to i32
  store i32 %conv32, ptr %offset, align 4
  %39 = load i32, ptr %y.addr, align 4
  %cmp33 = icmp ne i32 %39, 0
  br i1 %cmp33, label %if.then, label %if.end

if.then:                                          ; preds = %sw.bb30
  %40 = load i32, ptr %offset, align 4
  %41 = load ptr, ptr %pc, align 8
  %idx.ext = sext i32 %40 to i64
  %add.ptr = getelementptr inbounds i8, ptr %41, i64 %idx.ext
  store ptr %add.ptr, ptr %pc, align 8
  br label %if.end

if.end:                                           ; preds = %if.then, %sw.bb30
  br label %sw.epilog

sw.bb35:                                          ; preds = %for.cond
  %42 = load ptr, ptr %pc, align 8
  %incdec.ptr37 = getelementptr inbounds i8, ptr %42, i32 1
  store ptr %incdec.ptr37, ptr %pc, align 8
  %43 = load i8, ptr %42, align 1
  %conv38 = sext i8 %43 to i32
  store i32 %conv38, ptr %offset36, align 4
  %44 = load i32, ptr %carry, align 4
  %tobool = icmp ne i32 %44, 0
  br i1 %tobool, label %if.end42, label %if.then39

if.then39:                                        ; preds = %sw.bb35
  %45 = load i32, ptr %offset36, align 4
  %46 = load ptr, ptr %pc, align 8
  %idx.ext40 = sext i32 %45 to i64
  %add.ptr41 = getelementptr inbounds i8, ptr %46, i64 %idx.ext40
  store ptr %add.ptr41, ptr %pc, align 8
  br label %if.end42

if.end42:                                         ; preds = %if.then39, %sw.bb35
  br label %sw.epilog

sw.bb43:                                          ; preds = %for.cond
  %47 = load i32, ptr %carry, align 4
  %48 = load ptr, ptr %memory.addr, align 8
  %49 = load i32, ptr %x, align 4
  %and44 = and i32 %49, 63
  %idxprom45 = zext i32 %and44 to i64
  %arrayidx46 = getelementptr inbounds i32, ptr %48, i64 %idxprom45
  %50 = load i32, ptr %arrayidx46, align 4
  %add47 = add i32 %47, %50
  %51 = load i32, ptr %a, align 4
  %add48 = add i32 %51, %add47
  store i32 %add48, ptr %a, align 4
  br label %sw.epilog

sw.bb49:                                          ; preds = %for.cond
  %52 = load i32, ptr %a, align 4
  %53 = load i32, ptr %x, align 4
  %cmp50 = icmp ult i32 %52, %53
  %conv51 = zext i1 %cmp50 to i32
  store i32 %conv51, ptr %carry, align 4
  br label %sw.epilog

sw.bb52:                                          ; preds = %for.cond
  %54 = load i32, ptr %a, align 4
  %55 = load i32, ptr %x, align 4
  %shl53 = shl i32 %55, 7
  %xor54 = xor i32 %54, %shl53
  %56 = load i32, ptr %y.addr, align 4
  %xor55 = xor i32 %xor54, %56
  store i32 %xor55, ptr %retval, align 4
  br label %return

sw.default:                                       ; preds = %for.cond
  %57 = load i32, ptr %a, align 4
  %not = xor i32 %57, -1
  store i32 %not, ptr %retval, align 4
  br label %return

sw.epilog:                                        ; preds = %sw.bb49, %sw.bb43, %if.end42, %if.end, %sw.bb27, %sw.bb26, %sw.bb25, %sw.bb24, %sw.bb23, %sw.bb19, %sw.bb18, %sw.bb15, %sw.bb10, %sw.bb8, %sw.bb4, %sw.bb3, %sw.bb
  br label %for.cond

return:                                           ; preds = %sw.default, %sw.bb52
  %58 = load i32, ptr %retval, align 4
  ret i32 %58
}

attributes #0 = { noinline nounwind uwtable "frame-pointer"="all" "min-legal-vector-width"="0" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cmov,+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }

!llvm.module.flags = !{!0, !1, !2, !3, !4}

!0 = !{i32 1, !"wchar_size", i32 4}
!1 = !{i32 8, !"PIC Level", i32 2}
!2 = !{i32 7, !"PIE Level", i32 2}
!3 = !{i32 7, !"uwtable", i32 2}
!4 = !{i32 7, !"frame-pointer", i32 2}
!5 = !{!"Debian clang version 19.1.7 (3~deb12u1)"}
