source_filename = "words.c"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

; Function Attrs: noinline nounwind uwtable
define dso_local i32 @kernel(ptr noundef %heap, i32 noundef %n) #0 {
entry:
  %heap.addr = alloca ptr, align 8
  %n.addr = alloca i32, align 4
  %lines = alloca i32, align 4
  %words = alloca i32, align 4
  %in_word = alloca i32, align 4
  %number = alloca i32, align 4
  %numbers = alloca i32, align 4
  %letters = alloca i32, align 4
  %i = alloca i32, align 4
  %i16 = alloca i32, align 4
  %c = alloca i32, align 4
  store ptr %heap, ptr %heap.addr, align 8
  store i32 %n, ptr %n.addr, align 4
  store i32 0, ptr %lines, align 4
  store i32 0, ptr %words, align 4
  store i32 0, ptr %in_word, align 4
  store i32 0, ptr %number, align 4
  store i32 0, ptr %numbers, align 4
  store i32 0, ptr %letters, align 4
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
  %rem = srem i32 %conv, 5
  %cmp1 = icmp eq i32 %rem, 0
  br i1 %cmp1, label %cond.true, label %cond.false

cond.true:                                        ; preds = %for.body
  %5 = load ptr, ptr %heap.addr, align 8
  %6 = load i32, ptr %i, align 4
  %idxprom3 = sext i32 %6 to i64
  %arrayidx4 = getelementptr inbounds i8, ptr %5, i64 %idxprom3
  %7 = load i8, ptr %arrayidx4, align 1
  %conv5 = zext i8 %7 to i32
  %and = and i32 %conv5, 16
  %tobool = icmp ne i32 %and, 0
  %8 = zext i1 %tobool to i64
  %cond = select i1 %tobool, i32 32, i32 10
  br label %cond.end

cond.false:                                       ; preds = %for.body
  %9 = load ptr, ptr %heap.addr, align 8
  %10 = load i32, ptr %i, align 4
  %idxprom6 = sext i32 %10 to i64
  %arrayidx7 = getelementptr inbounds i8, ptr %9, i64 %idxprom6
  %11 = load i8, ptr %arrayidx7, align 1
  %conv8 = zext i8 %11 to i32
  %rem9 = srem i32 %conv8, 75
  %add = add nsw i32 48, %rem9
  %conv10 = trunc i32 %add to i8
  %conv11 = zext i8 %conv10 to i32
  br label %cond.end

cond.end:                                         ; preds = %cond.false, %cond.true
  %cond12 = phi i32 [ %cond, %cond.true ], [ %conv11, %cond.false ]
  %conv13 = trunc i32 %cond12 to i8
  %12 = load ptr, ptr %heap.addr, align 8
  %13 = load i32, ptr %i, align 4
  %idxprom14 = sext i32 %13 to i64
  %arrayidx15 = getelementptr inbounds i8, ptr %12, i64 %idxprom14
  store i8 %conv13, ptr %arrayidx15, align 1
  br label %for.inc

for.inc:                                          ; preds = %cond.end
  %14 = load i32, ptr %i, align 4
  %inc = add nsw i32 %14, 1
  store i32 %inc, ptr %i, align 4
  br label %for.cond, !llvm.loop !6

for.end:                                          ; preds = %for.cond
  store i32 0, ptr %i16, align 4
  br label %for.cond17

for.cond17:                                       ; preds = %for.inc47, %for.end
  %15 = load i32, ptr %i16, align 4
  %16 = load i32, ptr %n.addr, align 4
  %cmp18 = icmp slt i32 %15, %16
  br i1 %cmp18, label %for.body20, label %for.end49

for.body20:                                       ; preds = %for.cond17
  %17 = load ptr, ptr %heap.addr, align 8
  %18 = load i32, ptr %i16, align 4
  %idxprom21 = sext i32 %18 to i64
  %arrayidx22 = getelementptr inbounds i8, ptr %17, i64 %idxprom21
  %19 = load i8, ptr %arrayidx22, align 1
  %conv23 = zext i8 %19 to i32
  store i32 %conv23, ptr %c, align 4
  %20 = load i32, ptr %c, align 4
  %cmp24 = icmp eq i32 %20, 10
  br i1 %cmp24, label %if.then, label %if.end

if.then:                                          ; preds = %for.body20
  %21 = load i32, ptr %lines, align 4
  %inc26 = add nsw i32 %21, 1
  store i32 %inc26, ptr %lines, align 4
  br label %if.end

if.end:                                           ; preds = %if.then, %for.body20
  %22 = load i32, ptr %c, align 4
  %call = call i32 @is_space(i32 noundef %22)
  %tobool27 = icmp ne i32 %call, 0
  br i1 %tobool27, label %if.then28, label %if.else

if.then28:                                        ; preds = %if.end
  store i32 0, ptr %in_word, align 4
  br label %if.end33

if.else:                                          ; preds = %if.end
  %23 = load i32, ptr %in_word, align 4
  %tobool29 = icmp ne i32 %23, 0
  br i1 %tobool29, label %if.end32, label %if.then30

if.then30:                                        ; preds = %if.else
  store i32 1, ptr %in_word, align 4
  %24 = load i32, ptr %words, align 4
  %inc31 = add nsw i32 %24, 1
  store i32 %inc31, ptr %words, align 4
  br label %if.end32

if.end32:                                         ; preds = %if.then30, %if.else
  br label %if.end33

if.end33:                                         ; preds = %if.end32, %if.then28
  %25 = load i32, ptr %c, align 4
  %call34 = call i32 @is_digit(i32 noundef %25)
  %tobool35 = icmp ne i32 %call34, 0
  br i1 %tobool35, label %if.then36, label %if.else38

if.then36:                                        ; preds = %if.end33
  %26 = load i32, ptr %number, align 4
  %mul = mul nsw i32 %26, 10
  %27 = load i32, ptr %c, align 4
  %sub = sub nsw i32 %27, 48
  %add37 = add nsw i32 %mul, %sub
  store i32 %add37, ptr %number, align 4
  br label %if.end39

if.else38:                                        ; preds = %if.end33
  %28 = load i32, ptr %number, align 4
  %29 = load i32, ptr %numbers, align 4
  %xor = xor i32 %29, %28
  store i32 %xor, ptr %numbers, align 4
  store i32 0, ptr %number, align 4
  br label %if.end39

if.end39:                                         ; preds = %if.else38, %if.then36
  %30 = load i32, ptr %c, align 4
  %call40 = call i32 @is_alpha(i32 noundef %30)
  %tobool41 = icmp ne i32 %call40, 0
  br i1 %tobool41, label %if.then42, label %if.end46

if.then42:                                        ; preds = %if.end39
  %31 = load i32, ptr %letters, align 4
  %mul43 = mul i32 %31, 33
  %32 = load i32, ptr %c, align 4
  %call44 = call i32 @lower(i32 noundef %32)
  %add45 = add i32 %mul43, %call44
  store i32 %add45, ptr %letters, align 4
  br label %if.end46

if.end46:                                         ; preds = %if.then42, %if.end39
  br label %for.inc47

for.inc47:                                        ; preds = %if.end46
  %33 = load i32, ptr %i16, align 4
  %inc48 = add nsw i32 %33, 1
  store i32 %inc48, ptr %i16, align 4
  br label %for.cond17, !llvm.loop !8

for.end49:                                        ; preds = %for.cond17
  %34 = load i32, ptr %letters, align 4
  %35 = load i32, ptr %lines, align 4
  %36 = load i32, ptr %words, align 4
  %mul50 = mul nsw i32 1000, %36
  %add51 = add nsw i32 %35, %mul50
  %37 = load i32, ptr %numbers, align 4
  %mul52 = mul nsw i32 7, %37
  %add53 = add nsw i32 %add51, %mul52
  %xor54 = xor i32 %34, %add53
  ret i32 %xor54
}

; Function Attrs: noinline nounwind uwtable
define internal i32 @is_space(i32 noundef %c) #0 {
entry:
  %c.addr = alloca i32, align 4
  store i32 %c, ptr %c.addr, align 4
  %0 = load i32, ptr %c.addr, align 4
  %cmp = icmp eq i32 %0, 32
  br i1 %cmp, label %lor.end, label %lor.rhs

lor.rhs:                                          ; preds = %entry
  %1 = load i32, ptr %c.addr, align 4
  %cmp1 = icmp sge i32 %1, 9
  br i1 %cmp1, label %land.rhs, label %land.end

land.rhs:                                         ; preds = %lor.rhs
  %2 = load i32, ptr %c.addr, align 4
  %cmp2 = icmp sle i32 %2, 13
  br label %land.end

land.end:                                         ; preds = %land.rhs, %lor.rhs
  %3 = phi i1 [ false, %lor.rhs ], [ %cmp2, %land.rhs ]
  br label %lor.end

lor.end:                                          ; preds = %land.end, %entry
  %4 = phi i1 [ true, %entry ], [ %3, %land.end ]
  %lor.ext = zext i1 %4 to i32
  ret i32 %lor.ext
}

; Function Attrs: noinline nounwind uwtable
define internal i32 @is_digit(i32 noundef %c) #0 {
entry:
  %c.addr = alloca i32, align 4
  store i32 %c, ptr %c.addr, align 4
  %0 = load i32, ptr %c.addr, align 4
  %cmp = icmp sge i32 %0, 48
  br i1 %cmp, label %land.rhs, label %land.end

land.rhs:                                         ; preds = %entry
  %1 = load i32, ptr %c.addr, align 4
  %cmp1 = icmp sle i32 %1, 57
  br label %land.end

land.end:                                         ; preds = %land.rhs, %entry
  %2 = phi i1 [ false, %entry ], [ %cmp1, %land.rhs ]
  %land.ext = zext i1 %2 to i32
  ret i32 %land.ext
}

; Function Attrs: noinline nounwind uwtable
define internal i32 @is_alpha(i32 noundef %c) #0 {
entry:
  %c.addr = alloca i32, align 4
  store i32 %c, ptr %c.addr, align 4
  %0 = load i32, ptr %c.addr, align 4
  %cmp = icmp sge i32 %0, 97
  br i1 %cmp, label %land.lhs.true, label %lor.rhs

land.lhs.true:                                    ; preds = %entry
  %1 = load i32, ptr %c.addr, align 4
  %cmp1 = icmp sle i32 %1, 122
  br i1 %cmp1, label %lor.end, label %lor.rhs

lor.rhs:                                          ; preds = %land.lhs.true, %entry
  %2 = load i32, ptr %c.addr, align 4
  %cmp2 = icmp sge i32 %2, 65
  br i1 %cmp2, label %land.rhs, label %land.end

land.rhs:                                         ; preds = %lor.rhs
  %3 = load i32, ptr %c.addr, align 4
  %cmp3 = icmp sle i32 %3, 90
  br label %land.end

land.end:                                         ; preds = %land.rhs, %lor.rhs
  %4 = phi i1 [ false, %lor.rhs ], [ %cmp3, %land.rhs ]
  br label %lor.end

lor.end:                                          ; preds = %land.end, %land.lhs.true
  %5 = phi i1 [ true, %land.lhs.true ], [ %4, %land.end ]
  %lor.ext = zext i1 %5 to i32
  ret i32 %lor.ext
}

; Function Attrs: noinline nounwind uwtable
define internal i32 @lower(i32 noundef %c) #0 {
entry:
  %c.addr = alloca i32, align 4
  store i32 %c, ptr %c.addr, align 4
  %0 = load i32, ptr %c.addr, align 4
  %cmp = icmp sge i32 %0, 65
  br i1 %cmp, label %land.lhs.true, label %cond.false

land.lhs.true:                                    ; preds = %entry
  %1 = load i32, ptr %c.addr, align 4
  %cmp1 = icmp sle i32 %1, 90
  br i1 %cmp1, label %cond.true, label %cond.false

cond.true:                                        ; preds = %land.lhs.true
  %2 = load i32, ptr %c.addr, align 4
  %add = add nsw i32 %2, 32
  br label %cond.end

cond.false:                                       ; preds = %land.lhs.true, %entry
  %3 = load i32, ptr %c.addr, align 4
  br label %cond.end

cond.end:                                         ; preds = %cond.false, %cond.true
  %cond = phi i32 [ %add, %cond.true ], [ %3, %cond.false ]
  ret i32 %cond
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
