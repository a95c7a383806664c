source_filename = "machine.c"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

; Function Attrs: noinline nounwind uwtable
define dso_local i32 @kernel(ptr noundef %heap, i32 noundef %n) #0 {
entry:
  %heap.addr = alloca ptr, align 8
  %n.addr = alloca i32, align 4
  %code = alloca ptr, align 8
  %locals = alloca ptr, align 8
  %stack = alloca ptr, align 8
  %at = alloca i32, align 4
  store ptr %heap, ptr %heap.addr, align 8
  store i32 %n, ptr %n.addr, align 4
  %0 = load ptr, ptr %heap.addr, align 8
  %add.ptr = getelementptr inbounds i8, ptr %0, i64 1024
  store ptr %add.ptr, ptr %code, align 8
  %1 = load ptr, ptr %heap.addr, align 8
  %add.ptr1 = getelementptr inbounds i8, ptr %1, i64 512
  store ptr %add.ptr1, ptr %locals, align 8
  %2 = load ptr, ptr %heap.addr, align 8
  %add.ptr2 = getelementptr inbounds i8, ptr %2, i64 2048
  store ptr %add.ptr2, ptr %stack, align 8
  %3 = load i32, ptr %n.addr, align 4
  %4 = load ptr, ptr %locals, align 8
  %arrayidx = getelementptr inbounds i32, ptr %4, i64 0
  store i32 %3, ptr %arrayidx, align 4
  %5 = load ptr, ptr %locals, align 8
  %arrayidx3 = getelementptr inbounds i32, ptr %5, i64 1
  store i32 1, ptr %arrayidx3, align 4
  %6 = load ptr, ptr %locals, align 8
  %arrayidx4 = getelementptr inbounds i32, ptr %6, i64 2
  store i32 0, ptr %arrayidx4, align 4
  store i32 0, ptr %at, align 4
  %7 = load ptr, ptr %code, align 8
  %8 = load i32, ptr %at, align 4
  %inc = add nsw i32 %8, 1
  store i32 %inc, ptr %at, align 4
  %idxprom = sext i32 %8 to i64
  %arrayidx5 = getelementptr inbounds i8, ptr %7, i64 %idxprom
  store i8 8, ptr %arrayidx5, align 1
  %9 = load ptr, ptr %code, align 8
  %10 = load i32, ptr %at, align 4
  %inc6 = add nsw i32 %10, 1
  store i32 %inc6, ptr %at, align 4
  %idxprom7 = sext i32 %10 to i64
  %arrayidx8 = getelementptr inbounds i8, ptr %9, i64 %idxprom7
  store i8 1, ptr %arrayidx8, align 1
  %11 = load ptr, ptr %code, align 8
  %12 = load i32, ptr %at, align 4
  %inc9 = add nsw i32 %12, 1
  store i32 %inc9, ptr %at, align 4
  %idxprom10 = sext i32 %12 to i64
  %arrayidx11 = getelementptr inbounds i8, ptr %11, i64 %idxprom10
  store i8 1, ptr %arrayidx11, align 1
  %13 = load ptr, ptr %code, align 8
  %14 = load i32, ptr %at, align 4
  %inc12 = add nsw i32 %14, 1
  store i32 %inc12, ptr %at, align 4
  %idxprom13 = sext i32 %14 to i64
  %arrayidx14 = getelementptr inbounds i8, ptr %13, i64 %idxprom13
  store i8 31, ptr %arrayidx14, align 1
  %15 = load ptr, ptr %code, align 8
  %16 = load i32, ptr %at, align 4
  %inc15 = add nsw i32 %16, 1
  store i32 %inc15, ptr %at, align 4
  %idxprom16 = sext i32 %16 to i64
  %arrayidx17 = getelementptr inbounds i8, ptr %15, i64 %idxprom16
  store i8 4, ptr %arrayidx17, align 1
  %17 = load ptr, ptr %code, align 8
  %18 = load i32, ptr %at, align 4
  %inc18 = add nsw i32 %18, 1
  store i32 %inc18, ptr %at, align 4
  %idxprom19 = sext i32 %18 to i64
  %arrayidx20 = getelementptr inbounds i8, ptr %17, i64 %idxprom19
  store i8 8, ptr %arrayidx20, align 1
  %19 = load ptr, ptr %code, align 8
  %20 = load i32, ptr %at, align 4
  %inc21 = add nsw i32 %20, 1
  store i32 %inc21, ptr %at, align 4
  %idxprom22 = sext i32 %20 to i64
  %arrayidx23 = getelementptr inbounds i8, ptr %19, i64 %idxprom22
  store i8 1, ptr %arrayidx23, align 1
  %21 = load ptr, ptr %code, align 8
  %22 = load i32, ptr %at, align 4
  %inc24 = add nsw i32 %22, 1
  store i32 %inc24, ptr %at, align 4
  %idxprom25 = sext i32 %22 to i64
  %arrayidx26 = getelementptr inbounds i8, ptr %21, i64 %idxprom25
  store i8 1, ptr %arrayidx26, align 1
  %23 = load ptr, ptr %code, align 8
  %24 = load i32, ptr %at, align 4
  %inc27 = add nsw i32 %24, 1
  store i32 %inc27, ptr %at, align 4
  %idxprom28 = sext i32 %24 to i64
  %arrayidx29 = getelementptr inbounds i8, ptr %23, i64 %idxprom28
  store i8 3, ptr %arrayidx29, align 1
  %25 = load ptr, ptr %code, align 8
  %26 = load i32, ptr %at, align 4
  %inc30 = add nsw i32 %26, 1
  store i32 %inc30, ptr %at, align 4
  %idxprom31 = sext i32 %26 to i64
  %arrayidx32 = getelementptr inbounds i8, ptr %25, i64 %idxprom31
  store i8 15, ptr %arrayidx32, align 1
  %27 = load ptr, ptr %code, align 8
  %28 = load i32, ptr %at, align 4
  %inc33 = add nsw i32 %28, 1
  store i32 %inc33, ptr %at, align 4
  %idxprom34 = sext i32 %28 to i64
  %arrayidx35 = getelementptr inbounds i8, ptr %27, i64 %idxprom34
  store i8 8, ptr %arrayidx35, align 1
  %29 = load ptr, ptr %code, align 8
  %30 = load i32, ptr %at, align 4
  %inc36 = add nsw i32 %30, 1
  store i32 %inc36, ptr %at, align 4
  %idxprom37 = sext i32 %30 to i64
  %arrayidx38 = getelementptr inbounds i8, ptr %29, i64 %idxprom37
  store i8 0, ptr %arrayidx38, align 1
  %31 = load ptr, ptr %code, align 8
  %32 = load i32, ptr %at, align 4
  %inc39 = add nsw i32 %32, 1
  store i32 %inc39, ptr %at, align 4
  %idxprom40 = sext i32 %32 to i64
  %arrayidx41 = getelementptr inbounds i8, ptr %31, i64 %idxprom40
  store i8 2, ptr %arrayidx41, align 1
  %33 = load ptr, ptr %code, align 8
  %34 = load i32, ptr %at, align 4
  %inc42 = add nsw i32 %34, 1
  store i32 %inc42, ptr %at, align 4
  %idxprom43 = sext i32 %34 to i64
  %arrayidx44 = getelementptr inbounds i8, ptr %33, i64 %idxprom43
  store i8 14, ptr %arrayidx44, align 1
  %35 = load ptr, ptr %code, align 8
  %36 = load i32, ptr %at, align 4
  %inc45 = add nsw i32 %36, 1
  store i32 %inc45, ptr %at, align 4
  %idxprom46 = sext i32 %36 to i64
  %arrayidx47 = getelementptr inbounds i8, ptr %35, i64 %idxprom46
  store i8 5, ptr %arrayidx47, align 1
  %37 = load ptr, ptr %code, align 8
  %38 = load i32, ptr %at, align 4
  %inc48 = add nsw i32 %38, 1
  store i32 %inc48, ptr %at, align 4
  %idxprom49 = sext i32 %38 to i64
  %arrayidx50 = getelementptr inbounds i8, ptr %37, i64 %idxprom49
  store i8 9, ptr %arrayidx50, align 1
  %39 = load ptr, ptr %code, align 8
  %40 = load i32, ptr %at, align 4
  %inc51 = add nsw i32 %40, 1
  store i32 %inc51, ptr %at, align 4
  %idxprom52 = sext i32 %40 to i64
  %arrayidx53 = getelementptr inbounds i8, ptr %39, i64 %idxprom52
  store i8 1, ptr %arrayidx53, align 1
  %41 = load ptr, ptr %code, align 8
  %42 = load i32, ptr %at, align 4
  %inc54 = add nsw i32 %42, 1
  store i32 %inc54, ptr %at, align 4
  %idxprom55 = sext i32 %42 to i64
  %arrayidx56 = getelementptr inbounds i8, ptr %41, i64 %idxprom55
  store i8 1, ptr %arrayidx56, align 1
  %43 = load ptr, ptr %code, align 8
  %44 = load i32, ptr %at, align 4
  %inc57 = add nsw i32 %44, 1
  store i32 %inc57, ptr %at, align 4
  %idxprom58 = sext i32 %44 to i64
  %arrayidx59 = getelementptr inbounds i8, ptr %43, i64 %idxprom58
  store i8 7, ptr %arrayidx59, align 1
  %45 = load ptr, ptr %code, align 8
  %46 = load i32, ptr %at, align 4
  %inc60 = add nsw i32 %46, 1
  store i32 %inc60, ptr %at, align 4
  %idxprom61 = sext i32 %46 to i64
  %arrayidx62 = getelementptr inbounds i8, ptr %45, i64 %idxprom61
  store i8 13, ptr %arrayidx62, align 1
  %47 = load ptr, ptr %code, align 8
  %48 = load i32, ptr %at, align 4
  %inc63 = add nsw i32 %48, 1
  store i32 %inc63, ptr %at, align 4
  %idxprom64 = sext i32 %48 to i64
  %arrayidx65 = getelementptr inbounds i8, ptr %47, i64 %idxprom64
  store i8 1, ptr %arrayidx65, align 1
  %49 = load ptr, ptr %code, align 8
  %50 = load i32, ptr %at, align 4
  %inc66 = add nsw i32 %50, 1
  store i32 %inc66, ptr %at, align 4
  %idxprom67 = sext i32 %50 to i64
  %arrayidx68 = getelementptr inbounds i8, ptr %49, i64 %idxprom67
  store i8 3, ptr %arrayidx68, align 1
  %51 = load ptr, ptr %code, align 8
  %52 = load i32, ptr %at, align 4
  %inc69 = add nsw i32 %52, 1
  store i32 %inc69, ptr %at, align 4
  %idxprom70 = sext i32 %52 to i64
  %arrayidx71 = getelementptr inbounds i8, ptr %51, i64 %idxprom70
  store i8 12, ptr %arrayidx71, align 1
  %53 = load ptr, ptr %code, align 8
  %54 = load i32, ptr %at, align 4
  %inc72 = add nsw i32 %54, 1
  store i32 %inc72, ptr %at, align 4
  %idxprom73 = sext i32 %54 to i64
  %arrayidx74 = getelementptr inbounds i8, ptr %53, i64 %idxprom73
  store i8 1, ptr %arrayidx74, align 1
  %55 = load ptr, ptr %code, align 8
  %56 = load i32, ptr %at, align 4
  %inc75 = add nsw i32 %56, 1
  store i32 %inc75, ptr %at, align 4
  %idxprom76 = sext i32 %56 to i64
  %arrayidx77 = getelementptr inbounds i8, ptr %55, i64 %idxprom76
  store i8 1, ptr %arrayidx77, align 1
  %57 = load ptr, ptr %code, align 8
  %58 = load i32, ptr %at, align 4
  %inc78 = add nsw i32 %58, 1
  store i32 %inc78, ptr %at, align 4
  %idxprom79 = sext i32 %58 to i64
  %arrayidx80 = getelementptr inbounds i8, ptr %57, i64 %idxprom79
  store i8 14, ptr %arrayidx80, align 1
  %59 = load ptr, ptr %code, align 8
  %60 = load i32, ptr %at, align 4
  %inc81 = add nsw i32 %60, 1
  store i32 %inc81, ptr %at, align 4
  %idxprom82 = sext i32 %60 to i64
  %arrayidx83 = getelementptr inbounds i8, ptr %59, i64 %idxprom82
  store i8 11, ptr %arrayidx83, align 1
  %61 = load ptr, ptr %code, align 8
  %62 = load i32, ptr %at, align 4
  %inc84 = add nsw i32 %62, 1
  store i32 %inc84, ptr %at, align 4
  %idxprom85 = sext i32 %62 to i64
  %arrayidx86 = getelementptr inbounds i8, ptr %61, i64 %idxprom85
  store i8 35, ptr %arrayidx86, align 1
  %63 = load ptr, ptr %code, align 8
  %64 = load i32, ptr %at, align 4
  %inc87 = add nsw i32 %64, 1
  store i32 %inc87, ptr %at, align 4
  %idxprom88 = sext i32 %64 to i64
  %arrayidx89 = getelementptr inbounds i8, ptr %63, i64 %idxprom88
  store i8 8, ptr %arrayidx89, align 1
  %65 = load ptr, ptr %code, align 8
  %66 = load i32, ptr %at, align 4
  %inc90 = add nsw i32 %66, 1
  store i32 %inc90, ptr %at, align 4
  %idxprom91 = sext i32 %66 to i64
  %arrayidx92 = getelementptr inbounds i8, ptr %65, i64 %idxprom91
  store i8 2, ptr %arrayidx92, align 1
  %67 = load ptr, ptr %code, align 8
  %68 = load i32, ptr %at, align 4
  %inc93 = add nsw i32 %68, 1
  store i32 %inc93, ptr %at, align 4
  %idxprom94 = sext i32 %68 to i64
  %arrayidx95 = getelementptr inbounds i8, ptr %67, i64 %idxprom94
  store i8 8, ptr %arrayidx95, align 1
  %69 = load ptr, ptr %code, align 8
  %70 = load i32, ptr %at, align 4
  %inc96 = add nsw i32 %70, 1
  store i32 %inc96, ptr %at, align 4
  %idxprom97 = sext i32 %70 to i64
  %arrayidx98 = getelementptr inbounds i8, ptr %69, i64 %idxprom97
  store i8 1, ptr %arrayidx98, align 1
  %71 = load ptr, ptr %code, align 8
  %72 = load i32, ptr %at, align 4
  %inc99 = add nsw i32 %72, 1
  store i32 %inc99, ptr %at, align 4
  %idxprom100 = sext i32 %72 to i64
  %arrayidx101 = getelementptr inbounds i8, ptr %71, i64 %idxprom100
  store i8 2, ptr %arrayidx101, align 1
  %73 = load ptr, ptr %code, align 8
  %74 = load i32, ptr %at, align 4
  %inc102 = add nsw i32 %74, 1
  store i32 %inc102, ptr %at, align 4
  %idxprom103 = sext i32 %74 to i64
  %arrayidx104 = getelementptr inbounds i8, ptr %73, i64 %idxprom103
  store i8 9, ptr %arrayidx104, align 1
  %75 = load ptr, ptr %code, align 8
  %76 = load i32, ptr %at, align 4
  %inc105 = add nsw i32 %76, 1
  store i32 %inc105, ptr %at, align 4
  %idxprom106 = sext i32 %76 to i64
  %arrayidx107 = getelementptr inbounds i8, ptr %75, i64 %idxprom106
  store i8 2, ptr %arrayidx107, align 1
  %77 = load ptr, ptr %code, align 8
  %78 = load i32, ptr %at, align 4
  %inc108 = add nsw i32 %78, 1
  store i32 %inc108, ptr %at, align 4
  %idxprom109 = sext i32 %78 to i64
  %arrayidx110 = getelementptr inbounds i8, ptr %77, i64 %idxprom109
  store i8 8, ptr %arrayidx110, align 1
  %79 = load ptr, ptr %code, align 8
  %80 = load i32, ptr %at, align 4
  %inc111 = add nsw i32 %80, 1
  store i32 %inc111, ptr %at, align 4
  %idxprom112 = sext i32 %80 to i64
  %arrayidx113 = getelementptr inbounds i8, ptr %79, i64 %idxprom112
  store i8 0, ptr %arrayidx113, align 1
  %81 = load ptr, ptr %code, align 8
  %82 = load i32, ptr %at, align 4
  %inc114 = add nsw i32 %82, 1
  store i32 %inc114, ptr %at, align 4
  %idxprom115 = sext i32 %82 to i64
  %arrayidx116 = getelementptr inbounds i8, ptr %81, i64 %idxprom115
  store i8 1, ptr %arrayidx116, align 1
  %83 = load ptr, ptr %code, align 8
  %84 = load i32, ptr %at, align 4
  %inc117 = add nsw i32 %84, 1
  store i32 %inc117, ptr %at, align 4
  %idxprom118 = sext i32 %84 to i64
  %arrayidx119 = getelementptr inbounds i8, ptr %83, i64 %idxprom118
  store i8 1, ptr %arrayidx119, align 1
  %85 = load ptr, ptr %code, align 8
  %86 = load i32, ptr %at, align 4
  %inc120 = add nsw i32 %86, 1
  store i32 %inc120, ptr %at, align 4
  %idxprom121 = sext i32 %86 to i64
  %arrayidx122 = getelementptr inbounds i8, ptr %85, i64 %idxprom121
  store i8 3, ptr %arrayidx122, align 1
  %87 = load ptr, ptr %code, align 8
  %88 = load i32, ptr %at, align 4
  %inc123 = add nsw i32 %88, 1
  store i32 %inc123, ptr %at, align 4
  %idxprom124 = sext i32 %88 to i64
  %arrayidx125 = getelementptr inbounds i8, ptr %87, i64 %idxprom124
  store i8 5, ptr %arrayidx125, align 1
  %89 = load ptr, ptr %code, align 8
  %90 = load i32, ptr %at, align 4
  %inc126 = add nsw i32 %90, 1
  store i32 %inc126, ptr %at, align 4
  %idxprom127 = sext i32 %90 to i64
  %arrayidx128 = getelementptr inbounds i8, ptr %89, i64 %idxprom127
  store i8 9, ptr %arrayidx128, align 1
  %91 = load ptr, ptr %code, align 8
  %92 = load i32, ptr %at, align 4
  %inc129 = add nsw i32 %92, 1
  store i32 %inc129, ptr %at, align 4
  %idxprom130 = sext i32 %92 to i64
  %arrayidx131 = getelementptr inbounds i8, ptr %91, i64 %idxprom130
  store i8 0, ptr %arrayidx131, align 1
  %93 = load ptr, ptr %code, align 8
  %94 = load i32, ptr %at, align 4
  %inc132 = add nsw i32 %94, 1
  store i32 %inc132, ptr %at, align 4
  %idxprom133 = sext i32 %94 to i64
  %arrayidx134 = getelementptr inbounds i8, ptr %93, i64 %idxprom133
  store i8 11, ptr %arrayidx134, align 1
  %95 = load ptr, ptr %code, align 8
  %96 = load i32, ptr %at, align 4
  %inc135 = add nsw i32 %96, 1
  store i32 %inc135, ptr %at, align 4
  %idxprom136 = sext i32 %96 to i64
  %arrayidx137 = getelementptr inbounds i8, ptr %95, i64 %idxprom136
  store i8 0, ptr %arrayidx137, align 1
  %97 = load ptr, ptr %code, align 8
  %98 = load i32, ptr %at, align 4
  %inc138 = add nsw i32 %98, 1
  store i32 %inc138, ptr %at, align 4
  %idxprom139 = sext i32 %98 to i64
  %arrayidx140 = getelementptr inbounds i8, ptr %97, i64 %idxprom139
  store i8 8, ptr %arrayidx140, align 1
  %99 = load ptr, ptr %code, align 8
  %100 = load i32, ptr %at, align 4
  %inc141 = add nsw i32 %100, 1
  store i32 %inc141, ptr %at, align 4
  %idxprom142 = sext i32 %100 to i64
  %arrayidx143 = getelementptr inbounds i8, ptr %99, i64 %idxprom142
  store i8 2, ptr %arrayidx143, align 1
  %101 = load ptr, ptr %code, align 8
  %102 = load i32, ptr %at, align 4
  %inc144 = add nsw i32 %102, 1
  store i32 %inc144, ptr %at, align 4
  %idxprom145 = sext i32 %102 to i64
  %arrayidx146 = getelementptr inbounds i8, ptr %101, i64 %idxprom145
  store i8 0, ptr %arrayidx146, align 1
  %103 = load ptr, ptr %code, align 8
  %104 = load ptr, ptr %stack, align 8
  %105 = load ptr, ptr %locals, align 8
  %call = call i32 @run(ptr noundef %103, ptr noundef %104, ptr noundef %105)
  ret i32 %call
}

; Function Attrs: noinline nounwind uwtable
define internal i32 @run(ptr noundef %code, ptr noundef %stack, ptr noundef %locals) #0 {
entry:
  %retval = alloca i32, align 4
  %code.addr = alloca ptr, align 8
  %stack.addr = alloca ptr, align 8
  %locals.addr = alloca ptr, align 8
  %pc = alloca i32, align 4
  %sp = alloca i32, align 4
  %op = alloca i8, align 1
  %top = alloca i32, align 4
  store ptr %code, ptr %code.addr, align 8
  store ptr %stack, ptr %stack.addr, align 8
  store ptr %locals, ptr %locals.addr, align 8
  store i32 0, ptr %pc, align 4
  store i32 0, ptr %sp, align 4
  br label %for.cond

for.cond:                                         ; preds = %sw.epilog, %entry
  %0 = load ptr, ptr %code.addr, align 8
  %1 = load i32, ptr %pc, align 4
  %inc = add nsw i32 %1, 1
  store i32 %inc, ptr %pc, align 4
  %idxprom = sext i32 %1 to i64
  %arrayidx = getelementptr inbounds i8, ptr %0, i64 %idxprom
  %2 = load i8, ptr %arrayidx, align 1
  store i8 %2, ptr %op, align 1
  %3 = load i8, ptr %op, align 1
  %conv = zext i8 %3 to i32
  switch i32 %conv, label %sw.default [
    i32 0, label %sw.bb
    i32 1, label %sw.bb3
    i32 2, label %sw.bb11
    i32 3, label %sw.bb17
    i32 4, label %sw.bb25
    i32 5, label %sw.bb32
    i32 6, label %sw.bb39
    i32 7, label %sw.bb52
    i32 8, label %sw.bb54
    i32 9, label %sw.bb63
    i32 10, label %sw.bb72
    i32 11, label %sw.bb76
    i32 12, label %sw.bb85
    i32 13, label %sw.bb97
    i32 14, label %sw.bb104
    i32 15, label %sw.bb111
  ]

sw.bb:                                            ; preds = %for.cond
  %4 = load ptr, ptr %stack.addr, align 8
  %5 = load i32, ptr %sp, align 4
  %sub = sub nsw i32 %5, 1
  %idxprom1 = sext i32 %sub to i64
  %arrayidx2 = getelementptr inbounds i32, ptr %4, i64 %idxprom1
  %6 = load i32, ptr %arrayidx2, align 4
  store i32 %6, ptr %retval, align 4
  br label %return

sw.bb3:                                           ; preds = %for.cond
  %7 = load ptr, ptr %code.addr, align 8
  %8 = load i32, ptr %pc, align 4
  %inc4 = add nsw i32 %8, 1
  store i32 %inc4, ptr %pc, align 4
  %idxprom5 = sext i32 %8 to i64
  %arrayidx6 = getelementptr inbounds i8, ptr %7, i64 %idxprom5
  %9 = load i8, ptr %arrayidx6, align 1
  %conv7 = sext i8 %9 to i32
  %10 = load ptr, ptr %stack.addr, align 8
  %11 = load i32, ptr %sp, align 4
  %inc8 = add nsw i32 %11, 1
  store i32 %inc8, ptr %sp, align 4
  %idxprom9 = sext i32 %11 to i64
  %arrayidx10 = getelementptr inbounds i32, ptr %10, i64 %idxprom9
  store i32 %conv7, ptr %arrayidx10, align 4
  br label %sw.epilog

sw.bb11:                                          ; preds = %for.cond
  %12 = load i32, ptr %sp, align 4
  %dec = add nsw i32 %12, -1
  store i32 %dec, ptr %sp, align 4
  %13 = load ptr, ptr %stack.addr, align 8
  %14 = load i32, ptr %sp, align 4
  %idxprom12 = sext i32 %14 to i64
  %arrayidx13 = getelementptr inbounds i32, ptr %13, i64 %idxprom12
  %15 = load i32, ptr %arrayidx13, align 4
  %16 = load ptr, ptr %stack.addr, align 8
  %17 = load i32, ptr %sp, align 4
  %sub14 = sub nsw i32 %17, 1
  %idxprom15 = sext i32 %sub14 to i64
  %arrayidx16 = getelementptr inbounds i32, ptr %16, i64 %idxprom15
  %18 = load i32, ptr %arrayidx16, align 4
  %add = add nsw i32 %18, %15
  store i32 %add, ptr %arrayidx16, align 4
  br label %sw.epilog

sw.bb17:                                          ; preds = %for.cond
  %19 = load i32, ptr %sp, align 4
  %dec18 = add nsw i32 %19, -1
  store i32 %dec18, ptr %sp, align 4
  %20 = load ptr, ptr %stack.addr, align 8
  %21 = load i32, ptr %sp, align 4
  %idxprom19 = sext i32 %21 to i64
  %arrayidx20 = getelementptr inbounds i32, ptr %20, i64 %idxprom19
  %22 = load i32, ptr %arrayidx20, align 4
  %23 = load ptr, ptr %stack.addr, align 8
  %24 = load i32, ptr %sp, align 4
  %sub21 = sub nsw i32 %24, 1
  %idxprom22 = sext i32 %sub21 to i64
  %arrayidx23 = getelementptr inbounds i32, ptr %23, i64 %idxprom22
  %25 = load i32, ptr %arrayidx23, align 4
  %sub24 = sub nsw i32 %25, %22
  store i32 %sub24, ptr %arrayidx23, align 4
  br label %sw.epilog

sw.bb25:                                          ; preds = %for.cond
  %26 = load i32, ptr %sp, align 4
  %dec26 = add nsw i32 %26, -1
  store i32 %dec26, ptr %sp, align 4
  %27 = load ptr, ptr %stack.addr, align 8
  %28 = load i32, ptr %sp, align 4
  %idxprom27 = sext i32 %28 to i64
  %arrayidx28 = getelementptr inbounds i32, ptr %27, i64 %idxprom27
  %29 = load i32, ptr %arrayidx28, align 4
  %30 = load ptr, ptr %stack.addr, align 8
  %31 = load i32, ptr %sp, align 4
  %sub29 = sub nsw i32 %31, 1
  %idxprom30 = sext i32 %sub29 to i64
  %arrayidx31 = getelementptr inbounds i32, ptr %30, i64 %idxprom30
  %32 = load i32, ptr %arrayidx31, align 4
  %mul = mul nsw i32 %32, %29
  store i32 %mul, ptr %arrayidx31, align 4
  br label %sw.epilog

sw.bb32:                                          ; preds = %for.cond
  %33 = load ptr, ptr %stack.addr, align 8
  %34 = load i32, ptr %sp, align 4
  %sub33 = sub nsw i32 %34, 1
  %idxprom34 = sext i32 %sub33 to i64
  %arrayidx35 = getelementptr inbounds i32, ptr %33, i64 %idxprom34
  %35 = load i32, ptr %arrayidx35, align 4
  %36 = load ptr, ptr %stack.addr, align 8
  %37 = load i32, ptr %sp, align 4
  %idxprom36 = sext i32 %37 to i64
  %arrayidx37 = getelementptr inbounds i32, ptr %36, i64 %idxprom36
  store i32 %35, ptr %arrayidx37, align 4
  %38 = load i32, ptr %sp, align 4
  %inc38 = add nsw i32 %38, 1
  store i32 %inc38, ptr %sp, align 4
  br label %sw.epilog

sw.bb39:                                          ; preds = %for.cond
  %39 = load ptr, ptr %stack.addr, align 8
  %40 = load i32, ptr %sp, align 4
  %sub40 = sub nsw i32 %40, 1
  %idxprom41 = sext i32 %sub40 to i64
  %arrayidx42 = getelementptr inbounds i32, ptr %39, i64 %idxprom41
  %41 = load i32, ptr %arrayidx42, align 4
  store i32 %41, ptr %top, align 4
  %42 = load ptr, ptr %stack.addr, align 8
  %43 = load i32, ptr %sp, align 4
  %sub43 = sub nsw i32 %43, 2
  %idxprom44 = sext i32 %sub43 to i64
  %arrayidx45 = getelementptr inbounds i32, ptr %42, i64 %idxprom44
  %44 = load i32, ptr %arrayidx45, align 4
  %45 = load ptr, ptr %stack.addr, align 8
  %46 = load i32, ptr %sp, align 4
  %sub46 = sub nsw i32 %46, 1
  %idxprom47 = sext i32 %sub46 to i64
  %arrayidx48 = getelementptr inbounds i32, ptr %45, i64 %idxprom47
  store i32 %44, ptr %arrayidx48, align 4
  %47 = load i32, ptr %top, align 4
  %48 = load ptr, ptr %stack.addr, align 8
  %49 = load i32, ptr %sp, align 4
  %sub49 = sub nsw i32 %49, 2
  %idxprom50 = sext i32 %sub49 to i64
  %arrayidx51 = getelementptr inbounds i32, ptr %48, i64 %idxprom50
  store i32 %47, ptr %arrayidx51, align 4
  br label %sw.epilog

sw.bb52:                                          ; preds = %for.cond
  %50 = load i32, ptr %sp, align 4
  %dec53 = add nsw i32 %50, -1
  store i32 %dec53, ptr %sp, align 4
  br label %sw.epilog

sw.bb54:                                          ; preds = %for.cond
  %51 = load ptr, ptr %locals.addr, align 8
  %52 = load ptr, ptr %code.addr, align 8
  %53 = load i32, ptr %pc, align 4
  %inc55 = add nsw i32 %53, 1
  store i32 %inc55, ptr %pc, align 4
  %idxprom56 = sext i32 %53 to i64
  %arrayidx57 = getelementptr inbounds i8, ptr %52, i64 %idxprom56
  %54 = load i8, ptr %arrayidx57, align 1
  %idxprom58 = zext i8 %54 to i64
  %arrayidx59 = getelementptr inbounds i32, ptr %51, i64 %idxprom58
  %55 = load i32, ptr %arrayidx59, align 4
  %56 = load ptr, ptr %stack.addr, align 8
  %57 = load i32, ptr %sp, align 4
  %inc60 = add nsw i32 %57, 1
  store i32 %inc60, ptr %sp, align 4
  %idxprom61 = sext i32 %57 to i64
  %arrayidx62 = getelementptr inbounds i32, ptr %56, i64 %idxprom61
  store i32 %55, ptr %arrayidx62, align 4
  br label %sw.epilog

sw.bb63:                                          ; preds = %for.cond
  %58 = load ptr, ptr %stack.addr, align 8
  %59 = load i32, ptr %sp, align 4
  %dec64 = add nsw i32 %59, -1
  store i32 %dec64, ptr %sp, align 4
  %idxprom65 = sext i32 %dec64 to i64
  %arrayidx66 = getelementptr inbounds i32, ptr %58, i64 %idxprom65
  %60 = load i32, ptr %arrayidx66, align 4
  %61 = load ptr, ptr %locals.addr, align 8
  %62 = load ptr, ptr %code.addr, align 8
  %63 = load i32, ptr %pc, align 4
  %inc67 = add nsw i32 %63, 1
  store i32 %inc67, ptr %pc, align 4
  %idxprom68 = sext i32 %63 to i64
  %arrayidx69 = getelementptr inbounds i8, ptr %62, i64 %idxprom68
  %64 = load i8, ptr %arrayidx69, align 1
  %idxprom70 = zext i8 %64 to i64
  %arrayidx71 = getelementptr inbounds i32, ptr %61, i64 %idxprom70
  store i32 %60, ptr %arrayidx71, align 4
  br label %sw.epilog

sw.bb72:                                          ; preds = %for.cond
  %65 = load ptr, ptr %code.addr, align 8
  %66 = load i32, ptr %pc, align 4
  %idxprom73 = sext i32 %66 to i64
  %arrayidx74 = getelementptr inbounds i8, ptr %65, i64 %idxprom73
  %67 = load i8, ptr %arrayidx74, align 1
  %conv75 = zext i8 %67 to i32
  store i32 %conv75, ptr %pc, align 4
  br label %sw.epilog

sw.bb76:                                          ; preds = %for.cond
  %68 = load ptr, ptr %stack.addr, align 8
  %69 = load i32, ptr %sp, align 4
  %dec77 = add nsw i32 %69, -1
  store i32 %dec77, ptr %sp, align 4
  %idxprom78 = sext i32 %dec77 to i64
  %arrayidx79 = getelementptr inbounds i32, ptr %68, i64 %idxprom78
  %70 = load i32, ptr %arrayidx79, align 4
  %cmp = icmp ne i32 %70, 0
  br i1 %cmp, label %if.then, label %if.else

if.then:                                          ; preds = %sw.bb76
  %71 = load ptr, ptr %code.addr, align 8
  %72 = load i32, ptr %pc, align 4
  %idxprom81 = sext i32 %72 to i64
  %arrayidx82 = getelementptr inbounds i8, ptr %71, i64 %idxprom81
  %73 = load i8, ptr %arrayidx82, align 1
  %conv83 = zext i8 %73 to i32
  store i32 %conv83, ptr %pc, align 4
  br label %if.end

if.else:                                          ; preds = %sw.bb76
  %74 = load i32, ptr %pc, align 4
  %inc84 = add nsw i32 %74, 1
  store i32 %inc84, ptr %pc, align 4
  br label %if.end

if.end:                                           ; preds = %if.else, %if.then
  br label %sw.epilog

sw.bb85:                                          ; preds = %for.cond
  %75 = load i32, ptr %sp, align 4
  %dec86 = add nsw i32 %75, -1
  store i32 %dec86, ptr %sp, align 4
  %76 = load ptr, ptr %stack.addr, align 8
  %77 = load i32, ptr %sp, align 4
  %sub87 = sub nsw i32 %77, 1
  %idxprom88 = sext i32 %sub87 to i64
  %arrayidx89 = getelementptr inbounds i32, ptr %76, i64 %idxprom88
  %78 = load i32, ptr %arrayidx89, align 4
  %79 = load ptr, ptr %stack.addr, align 8
  %80 = load i32, ptr %sp, align 4
  %idxprom90 = sext i32 %80 to i64
  %arrayidx91 = getelementptr inbounds i32, ptr %79, i64 %idxprom90
  %81 = load i32, ptr %arrayidx91, align 4
  %cmp92 = icmp slt i32 %78, %81
  %conv93 = zext i1 %cmp92 to i32
  %82 = load ptr, ptr %stack.addr, align 8
  %83 = load i32, ptr %sp, align 4
  %sub94 = sub nsw i32 %83, 1
  %idxprom95 = sext i32 %sub94 to i64
  %arrayidx96 = getelementptr inbounds i32, ptr %82, i64 %idxprom95
  store i32 %conv93, ptr %arrayidx96, align 4
  br label %sw.epilog

sw.bb97:                                          ; preds = %for.cond
  %84 = load i32, ptr %sp, align 4
  %dec98 = add nsw i32 %84, -1
  store i32 %dec98, ptr %sp, align 4
  %85 = load ptr, ptr %stack.addr, align 8
  %86 = load i32, ptr %sp, align 4
  %idxprom99 = sext i32 %86 to i64
  %arrayidx100 = getelementptr inbounds i32, ptr %85, i64 %idxprom99
  %87 = load i32, ptr %arrayidx100, align 4
  %88 = load ptr, ptr %stack.addr, align 8
  %89 = load i32, ptr %sp, align 4
  %sub101 = sub nsw i32 %89, 1
  %idxprom102 = sext i32 %sub101 to i64
  %arrayidx103 = getelementptr inbounds i32, ptr %88, i64 %idxprom102
  %90 = load i32, ptr %arrayidx103, align 4
  %and = and i32 %90, %87
  store i32 %and, ptr %arrayidx103, align 4
  br label %sw.epilog

sw.bb104:                                         ; preds = %for.cond
  %91 = load i32, ptr %sp, align 4
  %dec105 = add nsw i32 %91, -1
  store i32 %dec105, ptr %sp, align 4
  %92 = load ptr, ptr %stack.addr, align 8
  %93 = load i32, ptr %sp, align 4
  %idxprom106 = sext i32 %93 to i64
  %arrayidx107 = getelementptr inbounds i32, ptr %92, i64 %idxprom106
  %94 = load i32, ptr %arrayidx107, align 4
  %95 = load ptr, ptr %stack.addr, align 8
  %96 = load i32, ptr %sp, align 4
  %sub108 = sub nsw i32 %96, 1
  %idxprom109 = sext i32 %sub108 to i64
  %arrayidx110 = getelementptr inbounds i32, ptr %95, i64 %idxprom109
  %97 = load i32, ptr %arrayidx110, align 4
  %xor = xor i32 %97, %94
  store i32 %xor, ptr %arrayidx110, align 4
  br label %sw.epilog

sw.bb111:                                         ; preds = %for.cond
  %98 = load i32, ptr %sp, align 4
  %dec112 = add nsw i32 %98, -1
  store i32 %dec112, ptr %sp, align 4
  %99 = load ptr, ptr %stack.addr, align 8
  %100 = load i32, ptr %sp, align 4
  %sub113 = sub nsw i32 %100, 1
  %idxprom114 = sext i32 %sub113 to i64
  %arrayidx115 = getelementptr inbounds i32, ptr %99, i64 %idxprom114
  %101 = load i32, ptr %arrayidx115, align 4
  %102 = load ptr, ptr %stack.addr, align 8
  %103 = load i32, ptr %sp, align 4
  %idxprom116 = sext i32 %103 to i64
  %arrayidx117 = getelementptr inbounds i32, ptr %102, i64 %idxprom116
  %104 = load i32, ptr %arrayidx117, align 4
  %and118 = and i32 %104, 31
  %shr = lshr i32 %101, %and118
  %105 = load ptr, ptr %stack.addr, align 8
  %106 = load i32, ptr %sp, align 4
  %sub119 = sub nsw i32 %106, 1
  %idxprom120 = sext i32 %sub119 to i64
  %arrayidx121 = getelementptr inbounds i32, ptr %105, i64 %idxprom120
  store i32 %shr, ptr %arrayidx121, align 4
  br label %sw.epilog

sw.default:                                       ; preds = %for.cond
  store i32 -1, ptr %retval, align 4
  br label %return

sw.epilog:                                        ; preds = %sw.bb111, %sw.bb104, %sw.bb97, %sw.bb85, %if.end, %sw.bb72, %sw.bb63, %sw.bb54, %sw.bb52, %sw.bb39, %sw.bb32, %sw.bb25, %sw.bb17, %sw.bb11, %sw.bb3
  br label %for.cond

return:                                           ; preds = %sw.default, %sw.bb
  %107 = load i32, ptr %retval, align 4
  ret i32 %107
}

attributes #0 = { noinline nounwind uwtable "frame-pointer"="all" "min-legal-vector-width"="0" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cmov,+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }

!llvm.module.flags = !{!0, !1, !2, !3, !4}

!0 = !{i32 1, !"wchar_size", i32 4}
!1 = !{i32 8, !"PIC Level", i32 2}
!2 = !{i32 7, !"PIE Level", i32 2}
!3 = !{i32 7, !"uwtable", i32 2}
!4 = !{i32 7, !"frame-pointer", i32 2}
!5 = !{!"Debian clang version 19.1.7 (3~deb12u1)"}
