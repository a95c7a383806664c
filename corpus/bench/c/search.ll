source_filename = "search.c"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

; Function Attrs: noinline nounwind uwtable
define dso_local i32 @kernel(ptr noundef %heap, i32 noundef %n) #0 {
entry:
  %heap.addr = alloca ptr, align 8
  %n.addr = alloca i32, align 4
  %found = alloca i32, align 4
  %i = alloca i32, align 4
  %pattern = alloca ptr, align 8
  %i6 = alloca i32, align 4
  %i17 = alloca i32, align 4
  %order = alloca i32, align 4
  store ptr %heap, ptr %heap.addr, align 8
  store i32 %n, ptr %n.addr, align 4
  store i32 0, ptr %found, align 4
  store i32 0, ptr %i, align 4
  br label %for.cond

for.cond:                                         ; preds = %for.inc, %entry
  %0 = load i32, ptr %i, align 4
  %1 = load i32, ptr %n.addr, align 4
  %cmp = icmp slt i32 %0, %1
  br i1 %cmp, label %for.body, label %for.end

for.body:                                         ; preds = %for.cond
  %2 = load ptr, ptr %heap.addr, align 8
  %3 = load i32, ptr %i, align 4
  %idxprom = sext i32 %3 to i64
  %arrayidx = getelementptr inbounds i8, ptr %2, i64 %idxprom
  %4 = load i8, ptr %arrayidx, align 1
  %conv = zext i8 %4 to i32
  %rem = srem i32 %conv, 3
  %conv1 = trunc i32 %rem to i8
  %5 = load ptr, ptr %heap.addr, align 8
  %6 = load i32, ptr %i, align 4
  %idxprom2 = sext i32 %6 to i64
  %arrayidx3 = getelementptr inbounds i8, ptr %5, i64 %idxprom2
  store i8 %conv1, ptr %arrayidx3, align 1
  br label %for.inc

for.inc:                                          ; preds = %for.body
  %7 = load i32, ptr %i, align 4
  %inc = add nsw i32 %7, 1
  store i32 %inc, ptr %i, align 4
  br label %for.cond, !llvm.loop !6

for.end:                                          ; preds = %for.cond
  %8 = load ptr, ptr %heap.addr, align 8
  %9 = load i32, ptr %n.addr, align 4
  %idxprom4 = sext i32 %9 to i64
  %arrayidx5 = getelementptr inbounds i8, ptr %8, i64 %idxprom4
  store i8 0, ptr %arrayidx5, align 1
  %10 = load ptr, ptr %heap.addr, align 8
  %11 = load i32, ptr %n.addr, align 4
  %div = sdiv i32 %11, 2
  %idx.ext = sext i32 %div to i64
  %add.ptr = getelementptr inbounds i8, ptr %10, i64 %idx.ext
  store ptr %add.ptr, ptr %pattern, align 8
  store i32 0, ptr %i6, align 4
  br label %for.cond7

for.cond7:                                        ; preds = %for.inc14, %for.end
  %12 = load i32, ptr %i6, align 4
  %add = add nsw i32 %12, 7
  %13 = load i32, ptr %n.addr, align 4
  %cmp8 = icmp sle i32 %add, %13
  br i1 %cmp8, label %for.body10, label %for.end16

for.body10:                                       ; preds = %for.cond7
  %14 = load ptr, ptr %heap.addr, align 8
  %15 = load i32, ptr %i6, align 4
  %idx.ext11 = sext i32 %15 to i64
  %add.ptr12 = getelementptr inbounds i8, ptr %14, i64 %idx.ext11
  %16 = load ptr, ptr %pattern, align 8
  %call = call i32 @matches(ptr noundef %add.ptr12, ptr noundef %16, i32 noundef 7)
  %tobool = icmp ne i32 %call, 0
  br i1 %tobool, label %if.then, label %if.end

if.then:                                          ; preds = %for.body10
  %17 = load i32, ptr %i6, align 4
  %18 = load i32, ptr %found, align 4
  %add13 = add nsw i32 %18, %17
  store i32 %add13, ptr %found, align 4
  br label %if.end

if.end:                                           ; preds = %if.then, %for.body10
  br label %for.inc14

for.inc14:                                        ; preds = %if.end
  %19 = load i32, ptr %i6, align 4
  %inc15 = add nsw i32 %19, 1
  store i32 %inc15, ptr %i6, align 4
  br label %for.cond7, !llvm.loop !8

for.end16:                                        ; preds = %for.cond7
  store i32 0, ptr %i17, align 4
  br label %for.cond18

for.cond18:                                       ; preds = %for.inc43, %for.end16
  %20 = load i32, ptr %i17, align 4
  %add19 = add nsw i32 %20, 1
  %21 = load i32, ptr %n.addr, align 4
  %cmp20 = icmp slt i32 %add19, %21
  br i1 %cmp20, label %for.body22, label %for.end45

for.body22:                                       ; preds = %for.cond18
  %22 = load ptr, ptr %heap.addr, align 8
  %23 = load i32, ptr %i17, align 4
  %idx.ext23 = sext i32 %23 to i64
  %add.ptr24 = getelementptr inbounds i8, ptr %22, i64 %idx.ext23
  %24 = load ptr, ptr %heap.addr, align 8
  %25 = load i32, ptr %i17, align 4
  %idx.ext25 = sext i32 %25 to i64
  %add.ptr26 = getelementptr inbounds i8, ptr %24, i64 %idx.ext25
  %add.ptr27 = getelementptr inbounds i8, ptr %add.ptr26, i64 1
  %call28 = call i32 @compare(ptr noundef %add.ptr24, ptr noundef %add.ptr27)
  store i32 %call28, ptr %order, align 4
  %26 = load i32, ptr %order, align 4
  %cmp29 = icmp slt i32 %26, 0
  br i1 %cmp29, label %if.then31, label %if.else

if.then31:                                        ; preds = %for.body22
  %27 = load i32, ptr %found, align 4
  %inc32 = add nsw i32 %27, 1
  store i32 %inc32, ptr %found, align 4
  br label %if.end38

if.else:                                          ; preds = %for.body22
  %28 = load i32, ptr %order, align 4
  %cmp33 = icmp sgt i32 %28, 0
  br i1 %cmp33, label %if.then35, label %if.end37

if.then35:                                        ; preds = %if.else
  %29 = load i32, ptr %found, align 4
  %add36 = add nsw i32 %29, 3
  store i32 %add36, ptr %found, align 4
  br label %if.end37

if.end37:                                         ; preds = %if.then35, %if.else
  br label %if.end38

if.end38:                                         ; preds = %if.end37, %if.then31
  %30 = load ptr, ptr %heap.addr, align 8
  %31 = load i32, ptr %i17, align 4
  %idx.ext39 = sext i32 %31 to i64
  %add.ptr40 = getelementptr inbounds i8, ptr %30, i64 %idx.ext39
  %call41 = call i32 @length(ptr noundef %add.ptr40)
  %32 = load i32, ptr %found, align 4
  %add42 = add nsw i32 %32, %call41
  store i32 %add42, ptr %found, align 4
  br label %for.inc43

for.inc43:                                        ; preds = %if.end38
  %33 = load i32, ptr %i17, align 4
  %inc44 = add nsw i32 %33, 1
  store i32 %inc44, ptr %i17, align 4
  br label %for.cond18, !llvm.loop !9

for.end45:                                        ; preds = %for.cond18
  %34 = load i32, ptr %found, align 4
  ret i32 %34
}

; Function Attrs: noinline nounwind uwtable
define internal i32 @matches(ptr noundef %text, ptr noundef %pattern, i32 noundef %length) #0 {
entry:
  %retval = alloca i32, align 4
  %text.addr = alloca ptr, align 8
  %pattern.addr = alloca ptr, align 8
  %length.addr = alloca i32, align 4
  %k = alloca i32, align 4
  store ptr %text, ptr %text.addr, align 8
  store ptr %pattern, ptr %pattern.addr, align 8
  store i32 %length, ptr %length.addr, align 4
  store i32 0, ptr %k, align 4
  br label %for.cond

for.cond:                                         ; preds = %for.inc, %entry
  %0 = load i32, ptr %k, align 4
  %1 = load i32, ptr %length.addr, align 4
  %cmp = icmp slt i32 %0, %1
  br i1 %cmp, label %for.body, label %for.end

for.body:                                         ; preds = %for.cond
  %2 = load ptr, ptr %text.addr, align 8
  %3 = load i32, ptr %k, align 4
  %idxprom = sext i32 %3 to i64
  %arrayidx = getelementptr inbounds i8, ptr %2, i64 %idxprom
  %4 = load i8, ptr %arrayidx, align 1
  %conv = zext i8 %4 to i32
  %5 = load ptr, ptr %pattern.addr, align 8
  %6 = load i32, ptr %k, align 4
  %idxprom1 = sext i32 %6 to i64
  %arrayidx2 = getelementptr inbounds i8, ptr %5, i64 %idxprom1
  %7 = load i8, ptr %arrayidx2, align 1
  %conv3 = zext i8 %7 to i32
  %cmp4 = icmp ne i32 %conv, %conv3
  br i1 %cmp4, label %if.then, label %if.end

if.then:                                          ; preds = %for.body
  store i32 0, ptr %retval, align 4
  br label %return

if.end:                                           ; preds = %for.body
  br label %for.inc

for.inc:                                          ; preds = %if.end
  %8 = load i32, ptr %k, align 4
  %inc = add nsw i32 %8, 1
  store i32 %inc, ptr %k, align 4
  br label %for.cond, !llvm.loop !10

for.end:                                          ; preds = %for.cond
  store i32 1, ptr %retval, align 4
  br label %return

return:                                           ; preds = %for.end, %if.then
  %9 = load i32, ptr %retval, align 4
  ret i32 %9
}

; Function Attrs: noinline nounwind uwtable
define internal i32 @compare(ptr noundef %a, ptr noundef %b) #0 {
entry:
  %a.addr = alloca ptr, align 8
  %b.addr = alloca ptr, align 8
  store ptr %a, ptr %a.addr, align 8
  store ptr %b, ptr %b.addr, align 8
  br label %while.cond

while.cond:                                       ; preds = %while.body, %entry
  %0 = load ptr, ptr %a.addr, align 8
  %1 = load i8, ptr %0, align 1
  %conv = zext i8 %1 to i32
  %cmp = icmp ne i32 %conv, 0
  br i1 %cmp, label %land.rhs, label %land.end

land.rhs:                                         ; preds = %while.cond
  %2 = load ptr, ptr %a.addr, align 8
  %3 = load i8, ptr %2, align 1
  %conv2 = zext i8 %3 to i32
  %4 = load ptr, ptr %b.addr, align 8
  %5 = load i8, ptr %4, align 1
  %conv3 = zext i8 %5 to i32
  %cmp4 = icmp eq i32 %conv2, %conv3
  br label %land.end

land.end:                                         ; preds = %land.rhs, %while.cond
  %6 = phi i1 [ false, %while.cond ], [ %cmp4, %land.rhs ]
  br i1 %6, label %while.body, label %while.end

while.body:                                       ; preds = %land.end
  %7 = load ptr, ptr %a.addr, align 8
  %incdec.ptr = getelementptr inbounds i8, ptr %7, i32 1
  store ptr %incdec.ptr, ptr %a.addr, align 8
  %8 = load ptr, ptr %b.addr, align 8
  %incdec.ptr6 = getelementptr inbounds i8, ptr %8, i32 1
  store ptr %incdec.ptr6, ptr %b.addr, align 8
  br label %while.cond, !llvm.loop !11

while.end:                                        ; preds = %land.end
  %9 = load ptr, ptr %a.addr, align 8
  %10 = load i8, ptr %9, align 1
  %conv7 = zext i8 %10 to i32
  %11 = load ptr, ptr %b.addr, align 8
  %12 = load i8, ptr %11, align 1
  %conv8 = zext i8 %12 to i32
  %sub = sub nsw i32 %conv7, %conv8
  ret i32 %sub
}

; Function Attrs: noinline nounwind uwtable
define internal i32 @length(ptr noundef %s) #0 {
entry:
  %s.addr = alloca ptr, align 8
  %end = alloca ptr, align 8
  store ptr %s, ptr %s.addr, align 8
  %0 = load ptr, ptr %s.addr, align 8
  store ptr %0, ptr %end, align 8
  br label %while.cond

while.cond:                                       ; preds = %while.body, %entry
  %1 = load ptr, ptr %end, align 8
  %2 = load i8, ptr %1, align 1
  %tobool = icmp ne i8 %2, 0
  br i1 %tobool, label %while.body, label %while.end

while.body:                                       ; preds = %while.cond
  %3 = load ptr, ptr %end, align 8
  %incdec.ptr = getelementptr inbounds i8, ptr %3, i32 1
  store ptr %incdec.ptr, ptr %end, align 8
  br label %while.cond, !llvm.loop !12

while.end:                                        ; preds = %while.cond
  %4 = load ptr, ptr %end, align 8
  %5 = load ptr, ptr %s.addr, align 8
  %sub.ptr.lhs.cast = ptrtoint ptr %4 to i64
  %sub.ptr.rhs.cast = ptrtoint ptr %5 to i64
  %sub.ptr.sub = sub i64 %sub.ptr.lhs.cast, %sub.ptr.rhs.cast
  %conv = trunc i64 %sub.ptr.sub to i32
  ret i32 %conv
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
!9 = distinct !{!9, !7}
!10 = distinct !{!10, !7}
!11 = distinct !{!11, !7}
!12 = distinct !{!12, !7}
