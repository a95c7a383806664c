source_filename = "tree.c"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

%struct.Node = type { i32, i32, i32, i32 }

; Function Attrs: noinline nounwind uwtable
define dso_local i32 @kernel(ptr noundef %heap, i32 noundef %n) #0 {
entry:
  %heap.addr = alloca ptr, align 8
  %n.addr = alloca i32, align 4
  %keys = alloca ptr, align 8
  %nodes = alloca ptr, align 8
  %hash = alloca i32, align 4
  %i = alloca i32, align 4
  %at = alloca i32, align 4
  %i11 = alloca i32, align 4
  store ptr %heap, ptr %heap.addr, align 8
  store i32 %n, ptr %n.addr, align 4
  %0 = load ptr, ptr %heap.addr, align 8
  store ptr %0, ptr %keys, align 8
  %1 = load ptr, ptr %heap.addr, align 8
  %add.ptr = getelementptr inbounds i8, ptr %1, i64 131072
  store ptr %add.ptr, ptr %nodes, align 8
  store i32 0, ptr %hash, align 4
  store i32 0, ptr %i, align 4
  br label %for.cond

for.cond:                                         ; preds = %for.inc, %entry
  %2 = load i32, ptr %i, align 4
  %3 = load i32, ptr %n.addr, align 4
  %cmp = icmp slt i32 %2, %3
  br i1 %cmp, label %for.body, label %for.end

for.body:                                         ; preds = %for.cond
  %4 = load ptr, ptr %keys, align 8
  %5 = load i32, ptr %i, align 4
  %idxprom = sext i32 %5 to i64
  %arrayidx = getelementptr inbounds i32, ptr %4, i64 %idxprom
  %6 = load i32, ptr %arrayidx, align 4
  %7 = load ptr, ptr %nodes, align 8
  %8 = load i32, ptr %i, align 4
  %idxprom1 = sext i32 %8 to i64
  %arrayidx2 = getelementptr inbounds %struct.Node, ptr %7, i64 %idxprom1
  %key = getelementptr inbounds %struct.Node, ptr %arrayidx2, i32 0, i32 0
  store i32 %6, ptr %key, align 4
  %9 = load ptr, ptr %nodes, align 8
  %10 = load i32, ptr %i, align 4
  %idxprom3 = sext i32 %10 to i64
  %arrayidx4 = getelementptr inbounds %struct.Node, ptr %9, i64 %idxprom3
  %left = getelementptr inbounds %struct.Node, ptr %arrayidx4, i32 0, i32 1
  store i32 -1, ptr %left, align 4
  %11 = load ptr, ptr %nodes, align 8
  %12 = load i32, ptr %i, align 4
  %idxprom5 = sext i32 %12 to i64
  %arrayidx6 = getelementptr inbounds %struct.Node, ptr %11, i64 %idxprom5
  %right = getelementptr inbounds %struct.Node, ptr %arrayidx6, i32 0, i32 2
  store i32 -1, ptr %right, align 4
  %13 = load i32, ptr %i, align 4
  %mul = mul nsw i32 %13, 7
  %14 = load i32, ptr %n.addr, align 4
  %rem = srem i32 %mul, %14
  %15 = load ptr, ptr %nodes, align 8
  %16 = load i32, ptr %i, align 4
  %idxprom7 = sext i32 %16 to i64
  %arrayidx8 = getelementptr inbounds %struct.Node, ptr %15, i64 %idxprom7
  %next = getelementptr inbounds %struct.Node, ptr %arrayidx8, i32 0, i32 3
  store i32 %rem, ptr %next, align 4
  %17 = load i32, ptr %i, align 4
  %cmp9 = icmp sgt i32 %17, 0
  br i1 %cmp9, label %if.then, label %if.end

if.then:                                          ; preds = %for.body
  %18 = load i32, ptr %hash, align 4
  %mul10 = mul i32 %18, 3
  %19 = load ptr, ptr %nodes, align 8
  %20 = load i32, ptr %i, align 4
  %call = call i32 @insert(ptr noundef %19, i32 noundef 0, i32 noundef %20)
  %add = add i32 %mul10, %call
  store i32 %add, ptr %hash, align 4
  br label %if.end

if.end:                                           ; preds = %if.then, %for.body
  br label %for.inc

for.inc:                                          ; preds = %if.end
  %21 = load i32, ptr %i, align 4
  %inc = add nsw i32 %21, 1
  store i32 %inc, ptr %i, align 4
  br label %for.cond, !llvm.loop !6

for.end:                                          ; preds = %for.cond
  store i32 0, ptr %at, align 4
  store i32 0, ptr %i11, align 4
  br label %for.cond12

for.cond12:                                       ; preds = %for.inc26, %for.end
  %22 = load i32, ptr %i11, align 4
  %23 = load i32, ptr %n.addr, align 4
  %mul13 = mul nsw i32 2, %23
  %cmp14 = icmp slt i32 %22, %mul13
  br i1 %cmp14, label %for.body15, label %for.end28

for.body15:                                       ; preds = %for.cond12
  %24 = load ptr, ptr %nodes, align 8
  %25 = load i32, ptr %at, align 4
  %idxprom16 = sext i32 %25 to i64
  %arrayidx17 = getelementptr inbounds %struct.Node, ptr %24, i64 %idxprom16
  %next18 = getelementptr inbounds %struct.Node, ptr %arrayidx17, i32 0, i32 3
  %26 = load i32, ptr %next18, align 4
  store i32 %26, ptr %at, align 4
  %27 = load ptr, ptr %nodes, align 8
  %28 = load i32, ptr %at, align 4
  %idxprom19 = sext i32 %28 to i64
  %arrayidx20 = getelementptr inbounds %struct.Node, ptr %27, i64 %idxprom19
  %key21 = getelementptr inbounds %struct.Node, ptr %arrayidx20, i32 0, i32 0
  %29 = load i32, ptr %key21, align 4
  %30 = load i32, ptr %at, align 4
  %add22 = add i32 %29, %30
  %31 = load i32, ptr %hash, align 4
  %xor = xor i32 %31, %add22
  store i32 %xor, ptr %hash, align 4
  %32 = load i32, ptr %at, align 4
  %add23 = add nsw i32 %32, 1
  %33 = load i32, ptr %n.addr, align 4
  %cmp24 = icmp slt i32 %add23, %33
  br i1 %cmp24, label %cond.true, label %cond.false

cond.true:                                        ; preds = %for.body15
  %34 = load i32, ptr %at, align 4
  %add25 = add nsw i32 %34, 1
  br label %cond.end

cond.false:                                       ; preds = %for.body15
  br label %cond.end

cond.end:                                         ; preds = %cond.false, %cond.true
  %cond = phi i32 [ %add25, %cond.true ], [ 0, %cond.false ]
  store i32 %cond, ptr %at, align 4
  br label %for.inc26

for.inc26:                                        ; preds = %cond.end
  %35 = load i32, ptr %i11, align 4
  %inc27 = add nsw i32 %35, 1
  store i32 %inc27, ptr %i11, align 4
  br label %for.cond12, !llvm.loop !8

for.end28:                                        ; preds = %for.cond12
  %36 = load i32, ptr %hash, align 4
  %37 = load ptr, ptr %nodes, align 8
  %call29 = call i32 @sum(ptr noundef %37, i32 noundef 0)
  %add30 = add nsw i32 %36, %call29
  ret i32 %add30
}

; Function Attrs: noinline nounwind uwtable
define internal i32 @insert(ptr noundef %nodes, i32 noundef %root, i32 noundef %fresh) #0 {
entry:
  %retval = alloca i32, align 4
  %nodes.addr = alloca ptr, align 8
  %root.addr = alloca i32, align 4
  %fresh.addr = alloca i32, align 4
  %at = alloca i32, align 4
  store ptr %nodes, ptr %nodes.addr, align 8
  store i32 %root, ptr %root.addr, align 4
  store i32 %fresh, ptr %fresh.addr, align 4
  %0 = load i32, ptr %root.addr, align 4
  store i32 %0, ptr %at, align 4
  br label %for.cond

for.cond:                                         ; preds = %if.end25, %entry
  %1 = load ptr, ptr %nodes.addr, align 8
  %2 = load i32, ptr %fresh.addr, align 4
  %idxprom = sext i32 %2 to i64
  %arrayidx = getelementptr inbounds %struct.Node, ptr %1, i64 %idxprom
  %key = getelementptr inbounds %struct.Node, ptr %arrayidx, i32 0, i32 0
  %3 = load i32, ptr %key, align 4
  %4 = load ptr, ptr %nodes.addr, align 8
  %5 = load i32, ptr %at, align 4
  %idxprom1 = sext i32 %5 to i64
  %arrayidx2 = getelementptr inbounds %struct.Node, ptr %4, i64 %idxprom1
  %key3 = getelementptr inbounds %struct.Node, ptr %arrayidx2, i32 0, i32 0
  %6 = load i32, ptr %key3, align 4
  %cmp = icmp slt i32 %3, %6
  br i1 %cmp, label %if.then, label %if.else

if.then:                                          ; preds = %for.cond
  %7 = load ptr, ptr %nodes.addr, align 8
  %8 = load i32, ptr %at, align 4
  %idxprom4 = sext i32 %8 to i64
  %arrayidx5 = getelementptr inbounds %struct.Node, ptr %7, i64 %idxprom4
  %left = getelementptr inbounds %struct.Node, ptr %arrayidx5, i32 0, i32 1
  %9 = load i32, ptr %left, align 4
  %cmp6 = icmp slt i32 %9, 0
  br i1 %cmp6, label %if.then7, label %if.end

if.then7:                                         ; preds = %if.then
  %10 = load i32, ptr %fresh.addr, align 4
  %11 = load ptr, ptr %nodes.addr, align 8
  %12 = load i32, ptr %at, align 4
  %idxprom8 = sext i32 %12 to i64
  %arrayidx9 = getelementptr inbounds %struct.Node, ptr %11, i64 %idxprom8
  %left10 = getelementptr inbounds %struct.Node, ptr %arrayidx9, i32 0, i32 1
  store i32 %10, ptr %left10, align 4
  %13 = load i32, ptr %at, align 4
  store i32 %13, ptr %retval, align 4
  br label %return

if.end:                                           ; preds = %if.then
  %14 = load ptr, ptr %nodes.addr, align 8
  %15 = load i32, ptr %at, align 4
  %idxprom11 = sext i32 %15 to i64
  %arrayidx12 = getelementptr inbounds %struct.Node, ptr %14, i64 %idxprom11
  %left13 = getelementptr inbounds %struct.Node, ptr %arrayidx12, i32 0, i32 1
  %16 = load i32, ptr %left13, align 4
  store i32 %16, ptr %at, align 4
  br label %if.end25

if.else:                                          ; preds = %for.cond
  %17 = load ptr, ptr %nodes.addr, align 8
  %18 = load i32, ptr %at, align 4
  %idxprom14 = sext i32 %18 to i64
  %arrayidx15 = getelementptr inbounds %struct.Node, ptr %17, i64 %idxprom14
  %right = getelementptr inbounds %struct.Node, ptr %arrayidx15, i32 0, i32 2
  %19 = load i32, ptr %right, align 4
  %cmp16 = icmp slt i32 %19, 0
  br i1 %cmp16, label %if.then17, label %if.end21

if.then17:                                        ; preds = %if.else
  %20 = load i32, ptr %fresh.addr, align 4
  %21 = load ptr, ptr %nodes.addr, align 8
  %22 = load i32, ptr %at, align 4
  %idxprom18 = sext i32 %22 to i64
  %arrayidx19 = getelementptr inbounds %struct.Node, ptr %21, i64 %idxprom18
  %right20 = getelementptr inbounds %struct.Node, ptr %arrayidx19, i32 0, i32 2
  store i32 %20, ptr %right20, align 4
  %23 = load i32, ptr %at, align 4
  store i32 %23, ptr %retval, align 4
  br label %return

if.end21:                                         ; preds = %if.else
  %24 = load ptr, ptr %nodes.addr, align 8
  %25 = load i32, ptr %at, align 4
  %idxprom22 = sext i32 %25 to i64
  %arrayidx23 = getelementptr inbounds %struct.Node, ptr %24, i64 %idxprom22
  %right24 = getelementptr inbounds %struct.Node, ptr %arrayidx23, i32 0, i32 2
  %26 = load i32, ptr %right24, align 4
  store i32 %26, ptr %at, align 4
  br label %if.end25

if.end25:                                         ; preds = %if.end21, %if.end
  br label %for.cond

return:                                           ; preds = %if.then17, %if.then7
  %27 = load i32, ptr %retval, align 4
  ret i32 %27
}

; Function Attrs: noinline nounwind uwtable
define internal i32 @sum(ptr noundef %nodes, i32 noundef %at) #0 {
entry:
  %retval = alloca i32, align 4
  %nodes.addr = alloca ptr, align 8
  %at.addr = alloca i32, align 4
  store ptr %nodes, ptr %nodes.addr, align 8
  store i32 %at, ptr %at.addr, align 4
  %0 = load i32, ptr %at.addr, align 4
  %cmp = icmp slt i32 %0, 0
  br i1 %cmp, label %if.then, label %if.end

if.then:                                          ; preds = %entry
  store i32 0, ptr %retval, align 4
  br label %return

if.end:                                           ; preds = %entry
  %1 = load ptr, ptr %nodes.addr, align 8
  %2 = load i32, ptr %at.addr, align 4
  %idxprom = sext i32 %2 to i64
  %arrayidx = getelementptr inbounds %struct.Node, ptr %1, i64 %idxprom
  %key = getelementptr inbounds %struct.Node, ptr %arrayidx, i32 0, i32 0
  %3 = load i32, ptr %key, align 4
  %4 = load ptr, ptr %nodes.addr, align 8
  %5 = load ptr, ptr %nodes.addr, align 8
  %6 = load i32, ptr %at.addr, align 4
  %idxprom1 = sext i32 %6 to i64
  %arrayidx2 = getelementptr inbounds %struct.Node, ptr %5, i64 %idxprom1
  %left = getelementptr inbounds %struct.Node, ptr %arrayidx2, i32 0, i32 1
  %7 = load i32, ptr %left, align 4
  %call = call i32 @sum(ptr noundef %4, i32 noundef %7)
  %mul = mul nsw i32 3, %call
  %add = add nsw i32 %3, %mul
  %8 = load ptr, ptr %nodes.addr, align 8
  %9 = load ptr, ptr %nodes.addr, align 8
  %10 = load i32, ptr %at.addr, align 4
  %idxprom3 = sext i32 %10 to i64
  %arrayidx4 = getelementptr inbounds %struct.Node, ptr %9, i64 %idxprom3
  %right = getelementptr inbounds %struct.Node, ptr %arrayidx4, i32 0, i32 2
  %11 = load i32, ptr %right, align 4
  %call5 = call i32 @sum(ptr noundef %8, i32 noundef %11)
  %mul6 = mul nsw i32 5, %call5
  %add7 = add nsw i32 %add, %mul6
  store i32 %add7, ptr %retval, align 4
  br label %return

return:                                           ; preds = %if.end, %if.then
  %12 = load i32, ptr %retval, align 4
  ret i32 %12
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
!8 = distinct !{!8, !7}
