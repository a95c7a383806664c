source_filename = "recursion.c"
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
  %call = call i32 @fib(i32 noundef %0)
  %1 = load i32, ptr %n.addr, align 4
  %2 = load i32, ptr %n.addr, align 4
  %div = sdiv i32 %2, 2
  %3 = load i32, ptr %n.addr, align 4
  %div1 = sdiv i32 %3, 4
  %call2 = call i32 @tak(i32 noundef %1, i32 noundef %div, i32 noundef %div1)
  %mul = mul nsw i32 100, %call2
  %add = add nsw i32 %call, %mul
  %4 = load ptr, ptr %heap.addr, align 8
  %5 = load i32, ptr %n.addr, align 4
  %mul3 = mul nsw i32 64, %5
  %call4 = call i32 @height(ptr noundef %4, i32 noundef 0, i32 noundef %mul3)
  %mul5 = mul nsw i32 10000, %call4
  %add6 = add nsw i32 %add, %mul5
  ret i32 %add6
}

; Function Attrs: noinline nounwind uwtable
define internal i32 @fib(i32 noundef %n) #0 {
entry:
  %n.addr = alloca i32, align 4
  store i32 %n, ptr %n.addr, align 4
  %0 = load i32, ptr %n.addr, align 4
  %cmp = icmp slt i32 %0, 2
  br i1 %cmp, label %cond.true, label %cond.false

cond.true:                                        ; preds = %entry
  %1 = load i32, ptr %n.addr, align 4
  br label %cond.end

cond.false:                                       ; preds = %entry
  %2 = load i32, ptr %n.addr, align 4
  %sub = sub nsw i32 %2, 1
  %call = call i32 @fib(i32 noundef %sub)
  %3 = load i32, ptr %n.addr, align 4
  %sub1 = sub nsw i32 %3, 2
  %call2 = call i32 @fib(i32 noundef %sub1)
  %add = add nsw i32 %call, %call2
  br label %cond.end

cond.end:                                         ; preds = %cond.false, %cond.true
  %cond = phi i32 [ %1, %cond.true ], [ %add, %cond.false ]
  ret i32 %cond
}

; Function Attrs: noinline nounwind uwtable
define internal i32 @tak(i32 noundef %x, i32 noundef %y, i32 noundef %z) #0 {
entry:
  %retval = alloca i32, align 4
  %x.addr = alloca i32, align 4
  %y.addr = alloca i32, align 4
  %z.addr = alloca i32, align 4
  store i32 %x, ptr %x.addr, align 4
  store i32 %y, ptr %y.addr, align 4
  store i32 %z, ptr %z.addr, align 4
  %0 = load i32, ptr %y.addr, align 4
  %1 = load i32, ptr %x.addr, align 4
  %cmp = icmp sge i32 %0, %1
  br i1 %cmp, label %if.then, label %if.end

if.then:                                          ; preds = %entry
  %2 = load i32, ptr %z.addr, align 4
  store i32 %2, ptr %retval, align 4
  br label %return

if.end:                                           ; preds = %entry
  %3 = load i32, ptr %x.addr, align 4
  %sub = sub nsw i32 %3, 1
  %4 = load i32, ptr %y.addr, align 4
  %5 = load i32, ptr %z.addr, align 4
  %call = call i32 @tak(i32 noundef %sub, i32 noundef %4, i32 noundef %5)
  %6 = load i32, ptr %y.addr, align 4
  %sub1 = sub nsw i32 %6, 1
  %7 = load i32, ptr %z.addr, align 4
  %8 = load i32, ptr %x.addr, align 4
  %call2 = call i32 @tak(i32 noundef %sub1, i32 noundef %7, i32 noundef %8)
  %9 = load i32, ptr %z.addr, align 4
  %sub3 = sub nsw i32 %9, 1
  %10 = load i32, ptr %x.addr, align 4
  %11 = load i32, ptr %y.addr, align 4
  %call4 = call i32 @tak(i32 noundef %sub3, i32 noundef %10, i32 noundef %11)
  %call5 = call i32 @tak(i32 noundef %call, i32 noundef %call2, i32 noundef %call4)
  store i32 %call5, ptr %retval, align 4
  br label %return

return:                                           ; preds = %if.end, %if.then
  %12 = load i32, ptr %retval, align 4
  ret i32 %12
}

; Function Attrs: noinline nounwind uwtable
define internal i32 @height(ptr noundef %heap, i32 noundef %node, i32 noundef %n) #0 {
entry:
  %retval = alloca i32, align 4
  %heap.addr = alloca ptr, align 8
  %node.addr = alloca i32, align 4
  %n.addr = alloca i32, align 4
  %left = alloca i32, align 4
  %right = alloca i32, align 4
  store ptr %heap, ptr %heap.addr, align 8
  store i32 %node, ptr %node.addr, align 4
  store i32 %n, ptr %n.addr, align 4
  %0 = load i32, ptr %node.addr, align 4
  %1 = load i32, ptr %n.addr, align 4
  %cmp = icmp sge i32 %0, %1
  br i1 %cmp, label %if.then, label %if.end

if.then:                                          ; preds = %entry
  store i32 0, ptr %retval, align 4
  br label %return

if.end:                                           ; preds = %entry
  %2 = load ptr, ptr %heap.addr, align 8
  %3 = load i32, ptr %node.addr, align 4
  %mul = mul nsw i32 2, %3
  %add = add nsw i32 %mul, 1
  %4 = load i32, ptr %n.addr, align 4
  %call = call i32 @height(ptr noundef %2, i32 noundef %add, i32 noundef %4)
  store i32 %call, ptr %left, align 4
  %5 = load ptr, ptr %heap.addr, align 8
  %6 = load i32, ptr %node.addr, align 4
  %mul1 = mul nsw i32 2, %6
  %add2 = add nsw i32 %mul1, 2
  %7 = load i32, ptr %n.addr, align 4
  %call3 = call i32 @height(ptr noundef %5, i32 noundef %add2, i32 noundef %7)
  store i32 %call3, ptr %right, align 4
  %8 = load i32, ptr %left, align 4
  %9 = load i32, ptr %right, align 4
  %cmp4 = icmp sgt i32 %8, %9
  br i1 %cmp4, label %cond.true, label %cond.false

cond.true:                                        ; preds = %if.end
  %10 = load i32, ptr %left, align 4
  br label %cond.end

cond.false:                                       ; preds = %if.end
  %11 = load i32, ptr %right, align 4
  br label %cond.end

cond.end:                                         ; preds = %cond.false, %cond.true
  %cond = phi i32 [ %10, %cond.true ], [ %11, %cond.false ]
  %12 = load ptr, ptr %heap.addr, align 8
  %13 = load i32, ptr %node.addr, align 4
  %idxprom = sext i32 %13 to i64
  %arrayidx = getelementptr inbounds i8, ptr %12, i64 %idxprom
  %14 = load i8, ptr %arrayidx, align 1
  %conv = zext i8 %14 to i32
  %and = and i32 %conv, 3
  %add5 = add nsw i32 %cond, %and
  store i32 %add5, ptr %retval, align 4
  br label %return

return:                                           ; preds = %cond.end, %if.then
  %15 = load i32, ptr %retval, align 4
  ret i32 %15
}

attributes #0 = { noinline nounwind uwtable "frame-pointer"="all" "min-legal-vector-width"="0" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cmov,+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }

!llvm.module.flags = !{!0, !1, !2, !3, !4}

!0 = !{i32 1, !"wchar_size", i32 4}
!1 = !{i32 8, !"PIC Level", i32 2}
!2 = !{i32 7, !"PIE Level", i32 2}
!3 = !{i32 7, !"uwtable", i32 2}
!4 = !{i32 7, !"frame-pointer", i32 2}
!5 = !{!"Debian clang version 19.1.7 (3~deb12u1)"}
