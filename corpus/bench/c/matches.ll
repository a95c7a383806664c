source_filename = "matches.c"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

; Function Attrs: noinline nounwind uwtable
define dso_local i32 @kernel(ptr noundef %heap, i32 noundef %n) #0 {
entry:
  %heap.addr = alloca ptr, align 8
  %n.addr = alloca i32, align 4
  %head = alloca ptr, align 8
  %previous = alloca ptr, align 8
  %i = alloca i32, align 4
  %i12 = alloca i32, align 4
  %sum = alloca i32, align 4
  %i22 = alloca i32, align 4
  %hash = alloca i32, align 4
  %most = alloca i32, align 4
  %best = alloca i32, align 4
  %from = alloca i32, align 4
  %tries = alloca i32, align 4
  %at = alloca i32, align 4
  %length = alloca i32, align 4
  %k = alloca i32, align 4
  store ptr %heap, ptr %heap.addr, align 8
  store i32 %n, ptr %n.addr, align 4
  %0 = load ptr, ptr %heap.addr, align 8
  %add.ptr = getelementptr inbounds i8, ptr %0, i64 262144
  store ptr %add.ptr, ptr %head, align 8
  %1 = load ptr, ptr %head, align 8
  %add.ptr1 = getelementptr inbounds i32, ptr %1, i64 256
  store ptr %add.ptr1, ptr %previous, align 8
  store i32 0, ptr %i, align 4
  br label %for.cond

for.cond:                                         ; preds = %for.inc, %entry
  %2 = load i32, ptr %i, align 4
  %3 = load i32, ptr %n.addr, align 4
  %cmp = icmp slt i32 %2, %3
  br i1 %cmp, label %for.body, label %for.end

for.body:                                         ; preds = %for.cond
  %4 = load ptr, ptr %heap.addr, align 8
  %5 = load i32, ptr %i, align 4
  %idxprom = sext i32 %5 to i64
  %arrayidx = getelementptr inbounds i8, ptr %4, i64 %idxprom
  %6 = load i8, ptr %arrayidx, align 1
  %conv = zext i8 %6 to i32
  %and = and i32 %conv, 3
  %tobool = icmp ne i32 %and, 0
  br i1 %tobool, label %cond.true, label %cond.false

cond.true:                                        ; preds = %for.body
  %7 = load ptr, ptr %heap.addr, align 8
  %8 = load i32, ptr %i, align 4
  %idxprom2 = sext i32 %8 to i64
  %arrayidx3 = getelementptr inbounds i8, ptr %7, i64 %idxprom2
  %9 = load i8, ptr %arrayidx3, align 1
  %conv4 = zext i8 %9 to i32
  %and5 = and i32 %conv4, 5
  br label %cond.end

cond.false:                                       ; preds = %for.body
  %10 = load ptr, ptr %heap.addr, align 8
  %11 = load i32, ptr %i, align 4
  %idxprom6 = sext i32 %11 to i64
  %arrayidx7 = getelementptr inbounds i8, ptr %10, i64 %idxprom6
  %12 = load i8, ptr %arrayidx7, align 1
  %conv8 = zext i8 %12 to i32
  %shr = ashr i32 %conv8, 5
  br label %cond.end

cond.end:                                         ; preds = %cond.false, %cond.true
  %cond = phi i32 [ %and5, %cond.true ], [ %shr, %cond.false ]
  %conv9 = trunc i32 %cond to i8
  %13 = load ptr, ptr %heap.addr, align 8
  %14 = load i32, ptr %i, align 4
  %idxprom10 = sext i32 %14 to i64
  %arrayidx11 = getelementptr inbounds i8, ptr %13, i64 %idxprom10
  store i8 %conv9, ptr %arrayidx11, align 1
  br label %for.inc

for.inc:                                          ; preds = %cond.end
  %15 = load i32, ptr %i, align 4
  %inc = add nsw i32 %15, 1
  store i32 %inc, ptr %i, align 4
  br label %for.cond, !llvm.loop !6

for.end:                                          ; preds = %for.cond
  store i32 0, ptr %i12, align 4
  br label %for.cond13

for.cond13:                                       ; preds = %for.inc19, %for.end
  %16 = load i32, ptr %i12, align 4
  %cmp14 = icmp slt i32 %16, 256
  br i1 %cmp14, label %for.body16, label %for.end21

for.body16:                                       ; preds = %for.cond13
  %17 = load ptr, ptr %head, align 8
  %18 = load i32, ptr %i12, align 4
  %idxprom17 = sext i32 %18 to i64
  %arrayidx18 = getelementptr inbounds i32, ptr %17, i64 %idxprom17
  store i32 -1, ptr %arrayidx18, align 4
  br label %for.inc19

for.inc19:                                        ; preds = %for.body16
  %19 = load i32, ptr %i12, align 4
  %inc20 = add nsw i32 %19, 1
  store i32 %inc20, ptr %i12, align 4
  br label %for.cond13, !llvm.loop !8

for.end21:                                        ; preds = %for.cond13
  store i32 0, ptr %sum, align 4
  store i32 0, ptr %i22, align 4
  br label %for.cond23

for.cond23:                                       ; preds = %for.inc92, %for.end21
  %20 = load i32, ptr %i22, align 4
  %add = add nsw i32 %20, 2
  %21 = load i32, ptr %n.addr, align 4
  %cmp24 = icmp slt i32 %add, %21
  br i1 %cmp24, label %for.body26, label %for.end94

for.body26:                                       ; preds = %for.cond23
  %22 = load ptr, ptr %heap.addr, align 8
  %23 = load i32, ptr %i22, align 4
  %idxprom27 = sext i32 %23 to i64
  %arrayidx28 = getelementptr inbounds i8, ptr %22, i64 %idxprom27
  %24 = load i8, ptr %arrayidx28, align 1
  %conv29 = zext i8 %24 to i32
  %mul = mul nsw i32 %conv29, 37
  %25 = load ptr, ptr %heap.addr, align 8
  %26 = load i32, ptr %i22, align 4
  %add30 = add nsw i32 %26, 1
  %idxprom31 = sext i32 %add30 to i64
  %arrayidx32 = getelementptr inbounds i8, ptr %25, i64 %idxprom31
  %27 = load i8, ptr %arrayidx32, align 1
  %conv33 = zext i8 %27 to i32
  %mul34 = mul nsw i32 %conv33, 11
  %xor = xor i32 %mul, %mul34
  %28 = load ptr, ptr %heap.addr, align 8
  %29 = load i32, ptr %i22, align 4
  %add35 = add nsw i32 %29, 2
  %idxprom36 = sext i32 %add35 to i64
  %arrayidx37 = getelementptr inbounds i8, ptr %28, i64 %idxprom36
  %30 = load i8, ptr %arrayidx37, align 1
  %conv38 = zext i8 %30 to i32
  %xor39 = xor i32 %xor, %conv38
  %and40 = and i32 %xor39, 255
  store i32 %and40, ptr %hash, align 4
  %31 = load i32, ptr %n.addr, align 4
  %32 = load i32, ptr %i22, align 4
  %sub = sub nsw i32 %31, %32
  %cmp41 = icmp slt i32 %sub, 64
  br i1 %cmp41, label %cond.true43, label %cond.false45

cond.true43:                                      ; preds = %for.body26
  %33 = load i32, ptr %n.addr, align 4
  %34 = load i32, ptr %i22, align 4
  %sub44 = sub nsw i32 %33, %34
  br label %cond.end46

cond.false45:                                     ; preds = %for.body26
  br label %cond.end46

cond.end46:                                       ; preds = %cond.false45, %cond.true43
  %cond47 = phi i32 [ %sub44, %cond.true43 ], [ 64, %cond.false45 ]
  store i32 %cond47, ptr %most, align 4
  store i32 2, ptr %best, align 4
  store i32 0, ptr %from, align 4
  store i32 8, ptr %tries, align 4
  %35 = load ptr, ptr %head, align 8
  %36 = load i32, ptr %hash, align 4
  %idxprom48 = sext i32 %36 to i64
  %arrayidx49 = getelementptr inbounds i32, ptr %35, i64 %idxprom48
  %37 = load i32, ptr %arrayidx49, align 4
  store i32 %37, ptr %at, align 4
  br label %for.cond50

for.cond50:                                       ; preds = %for.inc77, %cond.end46
  %38 = load i32, ptr %at, align 4
  %cmp51 = icmp sge i32 %38, 0
  br i1 %cmp51, label %land.rhs, label %land.end

land.rhs:                                         ; preds = %for.cond50
  %39 = load i32, ptr %tries, align 4
  %cmp53 = icmp sgt i32 %39, 0
  br label %land.end

land.end:                                         ; preds = %land.rhs, %for.cond50
  %40 = phi i1 [ false, %for.cond50 ], [ %cmp53, %land.rhs ]
  br i1 %40, label %for.body55, label %for.end80

for.body55:                                       ; preds = %land.end
  %41 = load ptr, ptr %heap.addr, align 8
  %42 = load i32, ptr %at, align 4
  %43 = load i32, ptr %best, align 4
  %add56 = add nsw i32 %42, %43
  %idxprom57 = sext i32 %add56 to i64
  %arrayidx58 = getelementptr inbounds i8, ptr %41, i64 %idxprom57
  %44 = load i8, ptr %arrayidx58, align 1
  %conv59 = zext i8 %44 to i32
  %45 = load ptr, ptr %heap.addr, align 8
  %46 = load i32, ptr %i22, align 4
  %47 = load i32, ptr %best, align 4
  %add60 = add nsw i32 %46, %47
  %idxprom61 = sext i32 %add60 to i64
  %arrayidx62 = getelementptr inbounds i8, ptr %45, i64 %idxprom61
  %48 = load i8, ptr %arrayidx62, align 1
  %conv63 = zext i8 %48 to i32
  %cmp64 = icmp ne i32 %conv59, %conv63
  br i1 %cmp64, label %if.then, label %if.end

if.then:                                          ; preds = %for.body55
  br label %for.inc77

if.end:                                           ; preds = %for.body55
  %49 = load ptr, ptr %heap.addr, align 8
  %50 = load i32, ptr %at, align 4
  %idx.ext = sext i32 %50 to i64
  %add.ptr66 = getelementptr inbounds i8, ptr %49, i64 %idx.ext
  %51 = load ptr, ptr %heap.addr, align 8
  %52 = load i32, ptr %i22, align 4
  %idx.ext67 = sext i32 %52 to i64
  %add.ptr68 = getelementptr inbounds i8, ptr %51, i64 %idx.ext67
  %53 = load i32, ptr %most, align 4
  %call = call i32 @length_of(ptr noundef %add.ptr66, ptr noundef %add.ptr68, i32 noundef %53)
  store i32 %call, ptr %length, align 4
  %54 = load i32, ptr %length, align 4
  %55 = load i32, ptr %best, align 4
  %cmp69 = icmp sgt i32 %54, %55
  br i1 %cmp69, label %if.then71, label %if.end76

if.then71:                                        ; preds = %if.end
  %56 = load i32, ptr %length, align 4
  store i32 %56, ptr %best, align 4
  %57 = load i32, ptr %at, align 4
  store i32 %57, ptr %from, align 4
  %58 = load i32, ptr %length, align 4
  %59 = load i32, ptr %most, align 4
  %cmp72 = icmp eq i32 %58, %59
  br i1 %cmp72, label %if.then74, label %if.end75

if.then74:                                        ; preds = %if.then71
  br label %for.end80

if.end75:                                         ; preds = %if.then71
  br label %if.end76

if.end76:                                         ; preds = %if.end75, %if.end
  br label %for.inc77

for.inc77:                                        ; preds = %if.end76, %if.then
  %60 = load ptr, ptr %previous, align 8
  %61 = load i32, ptr %at, align 4
  %idxprom78 = sext i32 %61 to i64
  %arrayidx79 = getelementptr inbounds i32, ptr %60, i64 %idxprom78
  %62 = load i32, ptr %arrayidx79, align 4
  store i32 %62, ptr %at, align 4
  %63 = load i32, ptr %tries, align 4
  %dec = add nsw i32 %63, -1
  store i32 %dec, ptr %tries, align 4
  br label %for.cond50, !llvm.loop !9

for.end80:                                        ; preds = %if.then74, %land.end
  %64 = load i32, ptr %sum, align 4
  %mul81 = mul i32 %64, 5
  %65 = load i32, ptr %best, align 4
  %mul82 = mul nsw i32 %65, 3
  %66 = load i32, ptr %i22, align 4
  %add83 = add nsw i32 %mul82, %66
  %67 = load i32, ptr %from, align 4
  %sub84 = sub nsw i32 %add83, %67
  %add85 = add i32 %mul81, %sub84
  store i32 %add85, ptr %sum, align 4
  %68 = load ptr, ptr %head, align 8
  %69 = load i32, ptr %hash, align 4
  %idxprom86 = sext i32 %69 to i64
  %arrayidx87 = getelementptr inbounds i32, ptr %68, i64 %idxprom86
  %70 = load i32, ptr %arrayidx87, align 4
  %71 = load ptr, ptr %previous, align 8
  %72 = load i32, ptr %i22, align 4
  %idxprom88 = sext i32 %72 to i64
  %arrayidx89 = getelementptr inbounds i32, ptr %71, i64 %idxprom88
  store i32 %70, ptr %arrayidx89, align 4
  %73 = load i32, ptr %i22, align 4
  %74 = load ptr, ptr %head, align 8
  %75 = load i32, ptr %hash, align 4
  %idxprom90 = sext i32 %75 to i64
  %arrayidx91 = getelementptr inbounds i32, ptr %74, i64 %idxprom90
  store i32 %73, ptr %arrayidx91, align 4
  br label %for.inc92

for.inc92:                                        ; preds = %for.end80
  %76 = load i32, ptr %i22, align 4
  %inc93 = add nsw i32 %76, 1
  store i32 %inc93, ptr %i22, align 4
  br label %for.cond23, !llvm.loop !10

for.end94:                                        ; preds = %for.cond23
  store i32 0, ptr %k, align 4
  br label %for.cond95

for.cond95:                                       ; preds = %for.inc109, %for.end94
  %77 = load i32, ptr %k, align 4
  %cmp96 = icmp slt i32 %77, 6
  br i1 %cmp96, label %for.body98, label %for.end111

for.body98:                                       ; preds = %for.cond95
  %78 = load i32, ptr %sum, align 4
  %mul99 = mul i32 %78, 3
  %79 = load ptr, ptr %heap.addr, align 8
  %80 = load i32, ptr %n.addr, align 4
  %81 = load ptr, ptr %heap.addr, align 8
  %82 = load i32, ptr %n.addr, align 4
  %idx.ext100 = sext i32 %82 to i64
  %add.ptr101 = getelementptr inbounds i8, ptr %81, i64 %idx.ext100
  %add.ptr102 = getelementptr inbounds i8, ptr %add.ptr101, i64 -40
  %83 = load i32, ptr %k, align 4
  %mul103 = mul nsw i32 %83, 4
  %idx.ext104 = sext i32 %mul103 to i64
  %add.ptr105 = getelementptr inbounds i8, ptr %add.ptr102, i64 %idx.ext104
  %84 = load i32, ptr %k, align 4
  %add106 = add nsw i32 8, %84
  %call107 = call i32 @find(ptr noundef %79, i32 noundef %80, ptr noundef %add.ptr105, i32 noundef %add106)
  %add108 = add i32 %mul99, %call107
  store i32 %add108, ptr %sum, align 4
  br label %for.inc109

for.inc109:                                       ; preds = %for.body98
  %85 = load i32, ptr %k, align 4
  %inc110 = add nsw i32 %85, 1
  store i32 %inc110, ptr %k, align 4
  br label %for.cond95, !llvm.loop !11

for.end111:                                       ; preds = %for.cond95
  %86 = load i32, ptr %sum, align 4
  ret i32 %86
}

; Function Attrs: noinline nounwind uwtable
define internal i32 @length_of(ptr noundef %a, ptr noundef %b, i32 noundef %most) #0 {
entry:
  %a.addr = alloca ptr, align 8
  %b.addr = alloca ptr, align 8
  %most.addr = alloca i32, align 4
  %length = alloca i32, align 4
  store ptr %a, ptr %a.addr, align 8
  store ptr %b, ptr %b.addr, align 8
  store i32 %most, ptr %most.addr, align 4
  store i32 0, ptr %length, align 4
  br label %while.cond

while.cond:                                       ; preds = %while.body, %entry
  %0 = load i32, ptr %length, align 4
  %1 = load i32, ptr %most.addr, align 4
  %cmp = icmp slt i32 %0, %1
  br i1 %cmp, label %land.rhs, label %land.end

land.rhs:                                         ; preds = %while.cond
  %2 = load ptr, ptr %a.addr, align 8
  %3 = load i32, ptr %length, align 4
  %idxprom = sext i32 %3 to i64
  %arrayidx = getelementptr inbounds i8, ptr %2, i64 %idxprom
  %4 = load i8, ptr %arrayidx, align 1
  %conv = zext i8 %4 to i32
  %5 = load ptr, ptr %b.addr, align 8
  %6 = load i32, ptr %length, align 4
  %idxprom1 = sext i32 %6 to i64
  %arrayidx2 = getelementptr inbounds i8, ptr %5, i64 %idxprom1
  %7 = load i8, ptr %arrayidx2, align 1
  %conv3 = zext i8 %7 to i32
  %cmp4 = icmp eq i32 %conv, %conv3
  br label %land.end

land.end:                                         ; preds = %land.rhs, %while.cond
  %8 = phi i1 [ false, %while.cond ], [ %cmp4, %land.rhs ]
  br i1 %8, label %while.body, label %while.end

while.body:                                       ; preds = %land.end
  %9 = load i32, ptr %length, align 4
  %inc = add nsw i32 %9, 1
  store i32 %inc, ptr %length, align 4
  br label %while.cond, !llvm.loop !12

while.end:                                        ; preds = %land.end
  %10 = load i32, ptr %length, align 4
  ret i32 %10
}

; Function Attrs: noinline nounwind uwtable
define internal i32 @find(ptr noundef %text, i32 noundef %n, ptr noundef %word, i32 noundef %m) #0 {
entry:
  %retval = alloca i32, align 4
  %text.addr = alloca ptr, align 8
  %n.addr = alloca i32, align 4
  %word.addr = alloca ptr, align 8
  %m.addr = alloca i32, align 4
  %i = alloca i32, align 4
  %j = alloca i32, align 4
  store ptr %text, ptr %text.addr, align 8
  store i32 %n, ptr %n.addr, align 4
  store ptr %word, ptr %word.addr, align 8
  store i32 %m, ptr %m.addr, align 4
  store i32 0, ptr %i, align 4
  br label %for.cond

for.cond:                                         ; preds = %for.inc, %entry
  %0 = load i32, ptr %i, align 4
  %1 = load i32, ptr %m.addr, align 4
  %add = add nsw i32 %0, %1
  %2 = load i32, ptr %n.addr, align 4
  %cmp = icmp sle i32 %add, %2
  br i1 %cmp, label %for.body, label %for.end

for.body:                                         ; preds = %for.cond
  store i32 0, ptr %j, align 4
  br label %while.cond

while.cond:                                       ; preds = %while.body, %for.body
  %3 = load i32, ptr %j, align 4
  %4 = load i32, ptr %m.addr, align 4
  %cmp1 = icmp slt i32 %3, %4
  br i1 %cmp1, label %land.rhs, label %land.end

land.rhs:                                         ; preds = %while.cond
  %5 = load ptr, ptr %text.addr, align 8
  %6 = load i32, ptr %i, align 4
  %7 = load i32, ptr %j, align 4
  %add2 = add nsw i32 %6, %7
  %idxprom = sext i32 %add2 to i64
  %arrayidx = getelementptr inbounds i8, ptr %5, i64 %idxprom
  %8 = load i8, ptr %arrayidx, align 1
  %conv = zext i8 %8 to i32
  %9 = load ptr, ptr %word.addr, align 8
  %10 = load i32, ptr %j, align 4
  %idxprom3 = sext i32 %10 to i64
  %arrayidx4 = getelementptr inbounds i8, ptr %9, i64 %idxprom3
  %11 = load i8, ptr %arrayidx4, align 1
  %conv5 = zext i8 %11 to i32
  %cmp6 = icmp eq i32 %conv, %conv5
  br label %land.end

land.end:                                         ; preds = %land.rhs, %while.cond
  %12 = phi i1 [ false, %while.cond ], [ %cmp6, %land.rhs ]
  br i1 %12, label %while.body, label %while.end

while.body:                                       ; preds = %land.end
  %13 = load i32, ptr %j, align 4
  %inc = add nsw i32 %13, 1
  store i32 %inc, ptr %j, align 4
  br label %while.cond, !llvm.loop !13

while.end:                                        ; preds = %land.end
  %14 = load i32, ptr %j, align 4
  %15 = load i32, ptr %m.addr, align 4
  %cmp8 = icmp eq i32 %14, %15
  br i1 %cmp8, label %if.then, label %if.end

if.then:                                          ; preds = %while.end
  %16 = load i32, ptr %i, align 4
  store i32 %16, ptr %retval, align 4
  br label %return

if.end:                                           ; preds = %while.end
  br label %for.inc

for.inc:                                          ; preds = %if.end
  %17 = load i32, ptr %i, align 4
  %inc10 = add nsw i32 %17, 1
  store i32 %inc10, ptr %i, align 4
  br label %for.cond, !llvm.loop !14

for.end:                                          ; preds = %for.cond
  store i32 -1, ptr %retval, align 4
  br label %return

return:                                           ; preds = %for.end, %if.then
  %18 = load i32, ptr %retval, align 4
  ret i32 %18
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
!14 = distinct !{!14, !7}
