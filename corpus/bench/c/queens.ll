source_filename = "queens.c"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

; Function Attrs: noinline nounwind uwtable
define dso_local i32 @kernel(ptr noundef %heap, i32 noundef %n) #0 {
entry:
  %heap.addr = alloca ptr, align 8
  %n.addr = alloca i32, align 4
  store ptr %heap, ptr %heap.addr, align 8
  store i32 %n, ptr %n.addr, align 4
  %0 = load i32, ptr %n.addr, align 4
  %shl = shl i32 1, %0
  %sub = sub i32 %shl, 1
  %call = call i32 @solve(i32 noundef %sub, i32 noundef 0, i32 noundef 0, i32 noundef 0)
  %1 = load ptr, ptr %heap.addr, align 8
  %arrayidx = getelementptr inbounds i8, ptr %1, i64 0
  %2 = load i8, ptr %arrayidx, align 1
  %conv = zext i8 %2 to i32
  %add = add nsw i32 %call, %conv
  ret i32 %add
}

; Function Attrs: noinline nounwind uwtable
define internal i32 @solve(i32 noundef %all, i32 noundef %columns, i32 noundef %left, i32 noundef %right) #0 {
entry:
  %retval = alloca i32, align 4
  %all.addr = alloca i32, align 4
  %columns.addr = alloca i32, align 4
  %left.addr = alloca i32, align 4
  %right.addr = alloca i32, align 4
  %count = alloca i32, align 4
  %free = alloca i32, align 4
  %bit = alloca i32, align 4
  store i32 %all, ptr %all.addr, align 4
  store i32 %columns, ptr %columns.addr, align 4
  store i32 %left, ptr %left.addr, align 4
  store i32 %right, ptr %right.addr, align 4
  %0 = load i32, ptr %columns.addr, align 4
  %1 = load i32, ptr %all.addr, align 4
  %cmp = icmp eq i32 %0, %1
  br i1 %cmp, label %if.then, label %if.end

if.then:                                          ; preds = %entry
  store i32 1, ptr %retval, align 4
  br label %return

if.end:                                           ; preds = %entry
  store i32 0, ptr %count, align 4
  %2 = load i32, ptr %all.addr, align 4
  %3 = load i32, ptr %columns.addr, align 4
  %4 = load i32, ptr %left.addr, align 4
  %or = or i32 %3, %4
  %5 = load i32, ptr %right.addr, align 4
  %or1 = or i32 %or, %5
  %not = xor i32 %or1, -1
  %and = and i32 %2, %not
  store i32 %and, ptr %free, align 4
  br label %while.cond

while.cond:                                       ; preds = %while.body, %if.end
  %6 = load i32, ptr %free, align 4
  %cmp2 = icmp ne i32 %6, 0
  br i1 %cmp2, label %while.body, label %while.end

while.body:                                       ; preds = %while.cond
  %7 = load i32, ptr %free, align 4
  %8 = load i32, ptr %free, align 4
  %sub = sub i32 0, %8
  %and3 = and i32 %7, %sub
  store i32 %and3, ptr %bit, align 4
  %9 = load i32, ptr %bit, align 4
  %10 = load i32, ptr %free, align 4
  %xor = xor i32 %10, %9
  store i32 %xor, ptr %free, align 4
  %11 = load i32, ptr %all.addr, align 4
  %12 = load i32, ptr %columns.addr, align 4
  %13 = load i32, ptr %bit, align 4
  %or4 = or i32 %12, %13
  %14 = load i32, ptr %left.addr, align 4
  %15 = load i32, ptr %bit, align 4
  %or5 = or i32 %14, %15
  %shl = shl i32 %or5, 1
  %16 = load i32, ptr %right.addr, align 4
  %17 = load i32, ptr %bit, align 4
  %or6 = or i32 %16, %17
  %shr = lshr i32 %or6, 1
  %call = call i32 @solve(i32 noundef %11, i32 noundef %or4, i32 noundef %shl, i32 noundef %shr)
  %18 = load i32, ptr %count, align 4
  %add = add nsw i32 %18, %call
  store i32 %add, ptr %count, align 4
  br label %while.cond, !llvm.loop !6

while.end:                                        ; preds = %while.cond
  %19 = load i32, ptr %count, align 4
  store i32 %19, ptr %retval, align 4
  br label %return

return:                                           ; preds = %while.end, %if.then
  %20 = load i32, ptr %retval, align 4
  ret i32 %20
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
