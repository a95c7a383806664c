source_filename = "orbits.c"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

; Function Attrs: noinline nounwind uwtable
define dso_local i32 @kernel(ptr noundef %heap, i32 noundef %n) #0 {
entry:
  %heap.addr = alloca ptr, align 8
  %n.addr = alloca i32, align 4
  %x = alloca ptr, align 8
  %v = alloca ptr, align 8
  %i = alloca i32, align 4
  %step = alloca i32, align 4
  %i9 = alloca i32, align 4
  %force = alloca double, align 8
  %j = alloca i32, align 4
  %d = alloca double, align 8
  %i36 = alloca i32, align 4
  %sum = alloca double, align 8
  %i61 = alloca i32, align 4
  store ptr %heap, ptr %heap.addr, align 8
  store i32 %n, ptr %n.addr, align 4
  %0 = load ptr, ptr %heap.addr, align 8
  store ptr %0, ptr %x, align 8
  %1 = load ptr, ptr %x, align 8
  %add.ptr = getelementptr inbounds double, ptr %1, i64 16
  store ptr %add.ptr, ptr %v, align 8
  store i32 0, ptr %i, align 4
  br label %for.cond

for.cond:                                         ; preds = %for.inc, %entry
  %2 = load i32, ptr %i, align 4
  %cmp = icmp slt i32 %2, 8
  br i1 %cmp, label %for.body, label %for.end

for.body:                                         ; preds = %for.cond
  %3 = load i32, ptr %i, align 4
  %conv = sitofp i32 %3 to double
  %mul = fmul double %conv, 1.500000e+00
  %4 = load ptr, ptr %x, align 8
  %5 = load i32, ptr %i, align 4
  %idxprom = sext i32 %5 to i64
  %arrayidx = getelementptr inbounds double, ptr %4, i64 %idxprom
  store double %mul, ptr %arrayidx, align 8
  %6 = load i32, ptr %i, align 4
  %conv1 = sitofp i32 %6 to double
  %mul2 = fmul double %conv1, 1.250000e-01
  %sub = fsub double 2.500000e-01, %mul2
  %7 = load ptr, ptr %v, align 8
  %8 = load i32, ptr %i, align 4
  %idxprom3 = sext i32 %8 to i64
  %arrayidx4 = getelementptr inbounds double, ptr %7, i64 %idxprom3
  store double %sub, ptr %arrayidx4, align 8
  br label %for.inc

for.inc:                                          ; preds = %for.body
  %9 = load i32, ptr %i, align 4
  %inc = add nsw i32 %9, 1
  store i32 %inc, ptr %i, align 4
  br label %for.cond, !llvm.loop !6

for.end:                                          ; preds = %for.cond
  store i32 0, ptr %step, align 4
  br label %for.cond5

for.cond5:                                        ; preds = %for.inc58, %for.end
  %10 = load i32, ptr %step, align 4
  %11 = load i32, ptr %n.addr, align 4
  %cmp6 = icmp slt i32 %10, %11
  br i1 %cmp6, label %for.body8, label %for.end60

for.body8:                                        ; preds = %for.cond5
  store i32 0, ptr %i9, align 4
  br label %for.cond10

for.cond10:                                       ; preds = %for.inc33, %for.body8
  %12 = load i32, ptr %i9, align 4
  %cmp11 = icmp slt i32 %12, 8
  br i1 %cmp11, label %for.body13, label %for.end35

for.body13:                                       ; preds = %for.cond10
  store double 0.000000e+00, ptr %force, align 8
  store i32 0, ptr %j, align 4
  br label %for.cond14

for.cond14:                                       ; preds = %for.inc26, %for.body13
  %13 = load i32, ptr %j, align 4
  %cmp15 = icmp slt i32 %13, 8
  br i1 %cmp15, label %for.body17, label %for.end28

for.body17:                                       ; preds = %for.cond14
  %14 = load i32, ptr %j, align 4
  %15 = load i32, ptr %i9, align 4
  %cmp18 = icmp eq i32 %14, %15
  br i1 %cmp18, label %if.then, label %if.end

if.then:                                          ; preds = %for.body17
  br label %for.inc26

if.end:                                           ; preds = %for.body17
  %16 = load ptr, ptr %x, align 8
  %17 = load i32, ptr %j, align 4
  %idxprom20 = sext i32 %17 to i64
  %arrayidx21 = getelementptr inbounds double, ptr %16, i64 %idxprom20
  %18 = load double, ptr %arrayidx21, align 8
  %19 = load ptr, ptr %x, align 8
  %20 = load i32, ptr %i9, align 4
  %idxprom22 = sext i32 %20 to i64
  %arrayidx23 = getelementptr inbounds double, ptr %19, i64 %idxprom22
  %21 = load double, ptr %arrayidx23, align 8
  %sub24 = fsub double %18, %21
  store double %sub24, ptr %d, align 8
  %22 = load double, ptr %d, align 8
  %23 = load double, ptr %d, align 8
  %call = call double @square(double noundef %23)
  %add = fadd double %call, 5.000000e-01
  %div = fdiv double %22, %add
  %24 = load double, ptr %force, align 8
  %add25 = fadd double %24, %div
  store double %add25, ptr %force, align 8
  br label %for.inc26

for.inc26:                                        ; preds = %if.end, %if.then
  %25 = load i32, ptr %j, align 4
  %inc27 = add nsw i32 %25, 1
  store i32 %inc27, ptr %j, align 4
  br label %for.cond14, !llvm.loop !8

for.end28:                                        ; preds = %for.cond14
  %26 = load double, ptr %force, align 8
  %mul29 = fmul double %26, 1.000000e-02
  %27 = load ptr, ptr %v, align 8
  %28 = load i32, ptr %i9, align 4
  %idxprom30 = sext i32 %28 to i64
  %arrayidx31 = getelementptr inbounds double, ptr %27, i64 %idxprom30
  %29 = load double, ptr %arrayidx31, align 8
  %add32 = fadd double %29, %mul29
  store double %add32, ptr %arrayidx31, align 8
  br label %for.inc33

for.inc33:                                        ; preds = %for.end28
  %30 = load i32, ptr %i9, align 4
  %inc34 = add nsw i32 %30, 1
  store i32 %inc34, ptr %i9, align 4
  br label %for.cond10, !llvm.loop !9

for.end35:                                        ; preds = %for.cond10
  store i32 0, ptr %i36, align 4
  br label %for.cond37

for.cond37:                                       ; preds = %for.inc47, %for.end35
  %31 = load i32, ptr %i36, align 4
  %cmp38 = icmp slt i32 %31, 8
  br i1 %cmp38, label %for.body40, label %for.end49

for.body40:                                       ; preds = %for.cond37
  %32 = load ptr, ptr %v, align 8
  %33 = load i32, ptr %i36, align 4
  %idxprom41 = sext i32 %33 to i64
  %arrayidx42 = getelementptr inbounds double, ptr %32, i64 %idxprom41
  %34 = load double, ptr %arrayidx42, align 8
  %mul43 = fmul double %34, 1.000000e-02
  %35 = load ptr, ptr %x, align 8
  %36 = load i32, ptr %i36, align 4
  %idxprom44 = sext i32 %36 to i64
  %arrayidx45 = getelementptr inbounds double, ptr %35, i64 %idxprom44
  %37 = load double, ptr %arrayidx45, align 8
  %add46 = fadd double %37, %mul43
  store double %add46, ptr %arrayidx45, align 8
  br label %for.inc47

for.inc47:                                        ; preds = %for.body40
  %38 = load i32, ptr %i36, align 4
  %inc48 = add nsw i32 %38, 1
  store i32 %inc48, ptr %i36, align 4
  br label %for.cond37, !llvm.loop !10

for.end49:                                        ; preds = %for.cond37
  %39 = load ptr, ptr %v, align 8
  %40 = load i32, ptr %step, align 4
  %and = and i32 %40, 7
  %idxprom50 = sext i32 %and to i64
  %arrayidx51 = getelementptr inbounds double, ptr %39, i64 %idxprom50
  %41 = load double, ptr %arrayidx51, align 8
  %call52 = call double @horner(double noundef %41, i32 noundef 6)
  %mul53 = fmul double %call52, 1.000000e-04
  %42 = load ptr, ptr %x, align 8
  %43 = load i32, ptr %step, align 4
  %and54 = and i32 %43, 7
  %idxprom55 = sext i32 %and54 to i64
  %arrayidx56 = getelementptr inbounds double, ptr %42, i64 %idxprom55
  %44 = load double, ptr %arrayidx56, align 8
  %add57 = fadd double %44, %mul53
  store double %add57, ptr %arrayidx56, align 8
  br label %for.inc58

for.inc58:                                        ; preds = %for.end49
  %45 = load i32, ptr %step, align 4
  %inc59 = add nsw i32 %45, 1
  store i32 %inc59, ptr %step, align 4
  br label %for.cond5, !llvm.loop !11

for.end60:                                        ; preds = %for.cond5
  store double 0.000000e+00, ptr %sum, align 8
  store i32 0, ptr %i61, align 4
  br label %for.cond62

for.cond62:                                       ; preds = %for.inc72, %for.end60
  %46 = load i32, ptr %i61, align 4
  %cmp63 = icmp slt i32 %46, 8
  br i1 %cmp63, label %for.body65, label %for.end74

for.body65:                                       ; preds = %for.cond62
  %47 = load ptr, ptr %x, align 8
  %48 = load i32, ptr %i61, align 4
  %idxprom66 = sext i32 %48 to i64
  %arrayidx67 = getelementptr inbounds double, ptr %47, i64 %idxprom66
  %49 = load double, ptr %arrayidx67, align 8
  %50 = load i32, ptr %i61, align 4
  %add68 = add nsw i32 %50, 1
  %conv69 = sitofp i32 %add68 to double
  %mul70 = fmul double %49, %conv69
  %51 = load double, ptr %sum, align 8
  %add71 = fadd double %51, %mul70
  store double %add71, ptr %sum, align 8
  br label %for.inc72

for.inc72:                                        ; preds = %for.body65
  %52 = load i32, ptr %i61, align 4
  %inc73 = add nsw i32 %52, 1
  store i32 %inc73, ptr %i61, align 4
  br label %for.cond62, !llvm.loop !12

for.end74:                                        ; preds = %for.cond62
  %53 = load double, ptr %sum, align 8
  %mul75 = fmul double %53, 1.000000e+06
  %conv76 = fptosi double %mul75 to i32
  ret i32 %conv76
}

; Function Attrs: noinline nounwind uwtable
define internal double @square(double noundef %x) #0 {
entry:
  %x.addr = alloca double, align 8
  store double %x, ptr %x.addr, align 8
  %0 = load double, ptr %x.addr, align 8
  %1 = load double, ptr %x.addr, align 8
  %mul = fmul double %0, %1
  ret double %mul
}

; Function Attrs: noinline nounwind uwtable
define internal double @horner(double noundef %x, i32 noundef %degree) #0 {
entry:
  %x.addr = alloca double, align 8
  %degree.addr = alloca i32, align 4
  %sum = alloca double, align 8
  %k = alloca i32, align 4
  store double %x, ptr %x.addr, align 8
  store i32 %degree, ptr %degree.addr, align 4
  store double 0.000000e+00, ptr %sum, align 8
  %0 = load i32, ptr %degree.addr, align 4
  store i32 %0, ptr %k, align 4
  br label %for.cond

for.cond:                                         ; preds = %for.inc, %entry
  %1 = load i32, ptr %k, align 4
  %cmp = icmp sge i32 %1, 0
  br i1 %cmp, label %for.body, label %for.end

for.body:                                         ; preds = %for.cond
  %2 = load double, ptr %sum, align 8
  %3 = load double, ptr %x.addr, align 8
  %mul = fmul double %2, %3
  %4 = load i32, ptr %k, align 4
  %add = add nsw i32 %4, 1
  %conv = sitofp i32 %add to double
  %div = fdiv double 1.000000e+00, %conv
  %add1 = fadd double %mul, %div
  store double %add1, ptr %sum, align 8
  br label %for.inc

for.inc:                                          ; preds = %for.body
  %5 = load i32, ptr %k, align 4
  %dec = add nsw i32 %5, -1
  store i32 %dec, ptr %k, align 4
  br label %for.cond, !llvm.loop !13

for.end:                                          ; preds = %for.cond
  %6 = load double, ptr %sum, align 8
  ret double %6
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
!13 = distinct !{!13, !7}
