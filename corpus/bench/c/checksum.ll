source_filename = "checksum.c"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

; Function Attrs: noinline nounwind uwtable
define dso_local i32 @kernel(ptr noundef %heap, i32 noundef %n) #0 {
entry:
  %heap.addr = alloca ptr, align 8
  %n.addr = alloca i32, align 4
  %hash = alloca i32, align 4
  store ptr %heap, ptr %heap.addr, align 8
  store i32 %n, ptr %n.addr, align 4
  %0 = load ptr, ptr %heap.addr, align 8
  %1 = load i32, ptr %n.addr, align 4
  %div = sdiv i32 %1, 4
  %call = call i32 @mix(ptr noundef %0, i32 noundef %div)
  store i32 %call, ptr %hash, align 4
  %2 = load i32, ptr %hash, align 4
  %mul = mul i32 %2, 31
  %3 = load ptr, ptr %heap.addr, align 8
  %4 = load i32, ptr %n.addr, align 4
  %call1 = call i32 @crc16(ptr noundef %3, i32 noundef %4)
  %add = add i32 %mul, %call1
  store i32 %add, ptr %hash, align 4
  %5 = load i32, ptr %hash, align 4
  %mul2 = mul i32 %5, 31
  %6 = load ptr, ptr %heap.addr, align 8
  %7 = load i32, ptr %n.addr, align 4
  %call3 = call i32 @parity(ptr noundef %6, i32 noundef %7)
  %add4 = add i32 %mul2, %call3
  ret i32 %add4
}

; Function Attrs: noinline nounwind uwtable
define internal i32 @mix(ptr noundef %words, i32 noundef %n) #0 {
entry:
  %words.addr = alloca ptr, align 8
  %n.addr = alloca i32, align 4
  %a = alloca i32, align 4
  %b = alloca i32, align 4
  %i = alloca i32, align 4
  %round = alloca i32, align 4
  store ptr %words, ptr %words.addr, align 8
  store i32 %n, ptr %n.addr, align 4
  store i32 -1640531527, ptr %a, align 4
  store i32 2135587861, ptr %b, align 4
  store i32 0, ptr %i, align 4
  br label %for.cond

for.cond:                                         ; preds = %for.inc8, %entry
  %0 = load i32, ptr %i, align 4
  %1 = load i32, ptr %n.addr, align 4
  %cmp = icmp slt i32 %0, %1
  br i1 %cmp, label %for.body, label %for.end10

for.body:                                         ; preds = %for.cond
  %2 = load ptr, ptr %words.addr, align 8
  %3 = load i32, ptr %i, align 4
  %idxprom = sext i32 %3 to i64
  %arrayidx = getelementptr inbounds i32, ptr %2, i64 %idxprom
  %4 = load i32, ptr %arrayidx, align 4
  %5 = load i32, ptr %a, align 4
  %xor = xor i32 %5, %4
  store i32 %xor, ptr %a, align 4
  store i32 0, ptr %round, align 4
  br label %for.cond1

for.cond1:                                        ; preds = %for.inc, %for.body
  %6 = load i32, ptr %round, align 4
  %cmp2 = icmp slt i32 %6, 4
  br i1 %cmp2, label %for.body3, label %for.end

for.body3:                                        ; preds = %for.cond1
  %7 = load i32, ptr %b, align 4
  %8 = load i32, ptr %a, align 4
  %add = add i32 %8, %7
  store i32 %add, ptr %a, align 4
  %9 = load i32, ptr %b, align 4
  %shl = shl i32 %9, 13
  %10 = load i32, ptr %b, align 4
  %shr = lshr i32 %10, 19
  %or = or i32 %shl, %shr
  %11 = load i32, ptr %a, align 4
  %xor4 = xor i32 %or, %11
  store i32 %xor4, ptr %b, align 4
  %12 = load i32, ptr %a, align 4
  %shl5 = shl i32 %12, 5
  %13 = load i32, ptr %a, align 4
  %shr6 = lshr i32 %13, 27
  %or7 = or i32 %shl5, %shr6
  store i32 %or7, ptr %a, align 4
  br label %for.inc

for.inc:                                          ; preds = %for.body3
  %14 = load i32, ptr %round, align 4
  %inc = add nsw i32 %14, 1
  store i32 %inc, ptr %round, align 4
  br label %for.cond1, !llvm.loop !6

for.end:                                          ; preds = %for.cond1
  br label %for.inc8

for.inc8:                                         ; preds = %for.end
  %15 = load i32, ptr %i, align 4
  %inc9 = add nsw i32 %15, 1
  store i32 %inc9, ptr %i, align 4
  br label %for.cond, !llvm.loop !8

for.end10:                                        ; preds = %for.cond
  %16 = load i32, ptr %a, align 4
  %17 = load i32, ptr %b, align 4
  %xor11 = xor i32 %16, %17
  ret i32 %xor11
}

; Function Attrs: noinline nounwind uwtable
define internal i32 @crc16(ptr noundef %data, i32 noundef %n) #0 {
entry:
  %data.addr = alloca ptr, align 8
  %n.addr = alloca i32, align 4
  %crc = alloca i16, align 2
  %i = alloca i32, align 4
  %bit = alloca i32, align 4
  store ptr %data, ptr %data.addr, align 8
  store i32 %n, ptr %n.addr, align 4
  store i16 -1, ptr %crc, align 2
  store i32 0, ptr %i, align 4
  br label %for.cond

for.cond:                                         ; preds = %for.inc17, %entry
  %0 = load i32, ptr %i, align 4
  %1 = load i32, ptr %n.addr, align 4
  %cmp = icmp slt i32 %0, %1
  br i1 %cmp, label %for.body, label %for.end19

for.body:                                         ; preds = %for.cond
  %2 = load ptr, ptr %data.addr, align 8
  %3 = load i32, ptr %i, align 4
  %idxprom = sext i32 %3 to i64
  %arrayidx = getelementptr inbounds i8, ptr %2, i64 %idxprom
  %4 = load i8, ptr %arrayidx, align 1
  %conv = zext i8 %4 to i32
  %shl = shl i32 %conv, 8
  %conv1 = trunc i32 %shl to i16
  %conv2 = zext i16 %conv1 to i32
  %5 = load i16, ptr %crc, align 2
  %conv3 = zext i16 %5 to i32
  %xor = xor i32 %conv3, %conv2
  %conv4 = trunc i32 %xor to i16
  store i16 %conv4, ptr %crc, align 2
  store i32 0, ptr %bit, align 4
  br label %for.cond5

for.cond5:                                        ; preds = %for.inc, %for.body
  %6 = load i32, ptr %bit, align 4
  %cmp6 = icmp slt i32 %6, 8
  br i1 %cmp6, label %for.body8, label %for.end

for.body8:                                        ; preds = %for.cond5
  %7 = load i16, ptr %crc, align 2
  %conv9 = zext i16 %7 to i32
  %and = and i32 %conv9, 32768
  %tobool = icmp ne i32 %and, 0
  br i1 %tobool, label %if.then, label %if.else

if.then:                                          ; preds = %for.body8
  %8 = load i16, ptr %crc, align 2
  %conv10 = zext i16 %8 to i32
  %shl11 = shl i32 %conv10, 1
  %xor12 = xor i32 %shl11, 4129
  %conv13 = trunc i32 %xor12 to i16
  store i16 %conv13, ptr %crc, align 2
  br label %if.end

if.else:                                          ; preds = %for.body8
  %9 = load i16, ptr %crc, align 2
  %conv14 = zext i16 %9 to i32
  %shl15 = shl i32 %conv14, 1
  %conv16 = trunc i32 %shl15 to i16
  store i16 %conv16, ptr %crc, align 2
  br label %if.end

if.end:                                           ; preds = %if.else, %if.then
  br label %for.inc

for.inc:                                          ; preds = %if.end
  %10 = load i32, ptr %bit, align 4
  %inc = add nsw i32 %10, 1
  store i32 %inc, ptr %bit, align 4
  br label %for.cond5, !llvm.loop !9

for.end:                                          ; preds = %for.cond5
  br label %for.inc17

for.inc17:                                        ; preds = %for.end
  %11 = load i32, ptr %i, align 4
  %inc18 = add nsw i32 %11, 1
  store i32 %inc18, ptr %i, align 4
  br label %for.cond, !llvm.loop !10

for.end19:                                        ; preds = %for.cond
  %12 = load i16, ptr %crc, align 2
  %conv20 = zext i16 %12 to i32
  ret i32 %conv20
}

; Function Attrs: noinline nounwind uwtable
define internal i32 @parity(ptr noundef %data, i32 noundef %n) #0 {
entry:
  %data.addr = alloca ptr, align 8
  %n.addr = alloca i32, align 4
  %sum = alloca i32, align 4
  %i = alloca i32, align 4
  %odd = alloca i8, align 1
  %bit = alloca i32, align 4
  store ptr %data, ptr %data.addr, align 8
  store i32 %n, ptr %n.addr, align 4
  store i32 0, ptr %sum, align 4
  store i32 0, ptr %i, align 4
  br label %for.cond

for.cond:                                         ; preds = %for.inc9, %entry
  %0 = load i32, ptr %i, align 4
  %1 = load i32, ptr %n.addr, align 4
  %cmp = icmp slt i32 %0, %1
  br i1 %cmp, label %for.body, label %for.end11

for.body:                                         ; preds = %for.cond
  store i8 0, ptr %odd, align 1
  store i32 0, ptr %bit, align 4
  br label %for.cond1

for.cond1:                                        ; preds = %for.inc, %for.body
  %2 = load i32, ptr %bit, align 4
  %cmp2 = icmp slt i32 %2, 8
  br i1 %cmp2, label %for.body3, label %for.end

for.body3:                                        ; preds = %for.cond1
  %3 = load ptr, ptr %data.addr, align 8
  %4 = load i32, ptr %i, align 4
  %idxprom = sext i32 %4 to i64
  %arrayidx = getelementptr inbounds i8, ptr %3, i64 %idxprom
  %5 = load i8, ptr %arrayidx, align 1
  %conv = zext i8 %5 to i32
  %6 = load i32, ptr %bit, align 4
  %shr = ashr i32 %conv, %6
  %and = and i32 %shr, 1
  %7 = load i8, ptr %odd, align 1
  %conv4 = zext i8 %7 to i32
  %xor = xor i32 %conv4, %and
  %conv5 = trunc i32 %xor to i8
  store i8 %conv5, ptr %odd, align 1
  br label %for.inc

for.inc:                                          ; preds = %for.body3
  %8 = load i32, ptr %bit, align 4
  %inc = add nsw i32 %8, 1
  store i32 %inc, ptr %bit, align 4
  br label %for.cond1, !llvm.loop !11

for.end:                                          ; preds = %for.cond1
  %9 = load i32, ptr %sum, align 4
  %mul = mul i32 %9, 2
  %10 = load i8, ptr %odd, align 1
  %conv6 = zext i8 %10 to i32
  %add = add i32 %mul, %conv6
  %11 = load i32, ptr %sum, align 4
  %shr7 = lshr i32 %11, 31
  %add8 = add i32 %add, %shr7
  store i32 %add8, ptr %sum, align 4
  br label %for.inc9

for.inc9:                                         ; preds = %for.end
  %12 = load i32, ptr %i, align 4
  %inc10 = add nsw i32 %12, 1
  store i32 %inc10, ptr %i, align 4
  br label %for.cond, !llvm.loop !12

for.end11:                                        ; preds = %for.cond
  %13 = load i32, ptr %sum, align 4
  ret i32 %13
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
