// Defines the classes that each jar has besides its programs, as text for the assembler.
//
// touchstone/Runtime has the records, the state that host functions keep, and the helpers of rows.
// touchstone/Main is a class loader and the main program, with the protocol of ../main-program.ts.
// With the property `touchstone.level` it runs each program several times on its first input, and
// requests code of that level from the virtual machine's own interface for tests, again before each
// execution. The status has a bit for a program without such code.

import { KEPT_PLACES } from "../../ir/host-functions.js";
import { HEAP_BASE } from "../../ir/outcome.js";
import { VARIABLES } from "../further-results.js";
import { ENDED, NO_ROOM, UNCOMPILED } from "../status.js";
import { RUNTIME } from "./opcode-rows.js";

/** The most bytes of records that one execution may write. */
const ROOM = 1 << 26;
const DESCRIPTORS = ["V", "I", "J", "F", "D"];

const HANDLE = "java/lang/invoke/VarHandle";
const HANDLES = { SHORT: "[S", CHAR: "[C", INT: "[I", LONG: "[J", FLOAT: "[F", DOUBLE: "[D" };
const LITTLE = "getstatic java/nio/ByteOrder.LITTLE_ENDIAN Ljava/nio/ByteOrder;";
const VIEW =
  "invokestatic java/lang/invoke/MethodHandles.byteArrayViewVarHandle (Ljava/lang/Class;Ljava/nio/ByteOrder;)Ljava/lang/invoke/VarHandle;";

const PUTS = Object.entries({ INT: "I", LONG: "J", FLOAT: "F", DOUBLE: "D" }).map(
  ([name, type]) => `method public static put (I${type})V
getstatic ${RUNTIME}.${name} L${HANDLE}; getstatic ${RUNTIME}.records [B iload 0
${{ I: "i", J: "l", F: "f", D: "d" }[type]}load 1 invokevirtual ${HANDLE}.set ([BI${type})V return
`,
);

const KEPT_ARRAY = `getstatic ${RUNTIME}.kept [[B iload 0 int ${KEPT_PLACES - 1} iand`;
const KEPT_INDEX = `getstatic ${RUNTIME}.keptAt [I iload 0 int ${KEPT_PLACES - 1} iand`;
const LONG = `getstatic ${RUNTIME}.LONG L${HANDLE};`;

const RUNTIME_CLASS = `class ${RUNTIME} extends java/lang/Object
${Object.keys(HANDLES)
  .map((name) => `field public static final ${name} L${HANDLE};`)
  .join("\n")}
field public static records [B
field public static recorded I
field public static status I
field public static ended Ljava/lang/Error;
field public static words [B
field public static heap [B
field public static kept [[B
field public static keptAt [I
field public static deopt I
${VARIABLES.map(({ number, type }) => `field public static further${number}${DESCRIPTORS[type]} ${DESCRIPTORS[type]}`).join("\n")}
method static <clinit> ()V
${Object.entries(HANDLES)
  .map(([name, type]) => `type ${type} ${LITTLE} ${VIEW} putstatic ${RUNTIME}.${name} L${HANDLE};`)
  .join("\n")}
int 65536 newarray 8 putstatic ${RUNTIME}.records [B
int ${KEPT_PLACES} anewarray [B putstatic ${RUNTIME}.kept [[B
int ${KEPT_PLACES} newarray 10 putstatic ${RUNTIME}.keptAt [I
new java/lang/Error dup invokespecial java/lang/Error.<init> ()V putstatic ${RUNTIME}.ended Ljava/lang/Error;
return
method public static finish (I)Ljava/lang/Error;
iload 0 putstatic ${RUNTIME}.status I getstatic ${RUNTIME}.ended Ljava/lang/Error; areturn
method public static reserve (I)I
getstatic ${RUNTIME}.recorded I istore 1
iload 0 int ${ROOM} iload 1 isub if_icmple room
int ${NO_ROOM} invokestatic ${RUNTIME}.finish (I)Ljava/lang/Error; athrow
room: iload 1 iload 0 iadd dup putstatic ${RUNTIME}.recorded I istore 2
iload 2 getstatic ${RUNTIME}.records [B arraylength if_icmple done
getstatic ${RUNTIME}.records [B iload 2 int 2 imul
invokestatic java/util/Arrays.copyOf ([BI)[B putstatic ${RUNTIME}.records [B
done: iload 1 ireturn
${PUTS.join("")}method public static bytes (I[BI)V
aload 1 int 0 getstatic ${RUNTIME}.records [B iload 0 iload 2
invokestatic java/lang/System.arraycopy (Ljava/lang/Object;ILjava/lang/Object;II)V return
method public static newHeap (I)[B
iload 0 newarray 8 dup putstatic ${RUNTIME}.heap [B areturn
method public static copy ([BJJJ)V
lload 5 long 0 lcmp ifeq none
aload 0 lload 3 long ${HEAP_BASE} lsub l2i aload 0 lload 1 long ${HEAP_BASE} lsub l2i lload 5 l2i
invokestatic java/lang/System.arraycopy (Ljava/lang/Object;ILjava/lang/Object;II)V
none: return
method public static fill ([BIJJ)V
lload 4 long 0 lcmp ifeq none
aload 0 lload 2 long ${HEAP_BASE} lsub l2i dup lload 4 l2i iadd iload 1 i2b
invokestatic java/util/Arrays.fill ([BIIB)V
none: return
method public static truncate (D)D
dload 0 double 0 dcmpg ifge positive
dload 0 invokestatic java/lang/Math.ceil (D)D dreturn
positive: dload 0 invokestatic java/lang/Math.floor (D)D dreturn
method public static narrow (J)I
lload 0 long 0 invokestatic java/lang/Math.max (JJ)J
long 0xffffffff invokestatic java/lang/Math.min (JJ)J l2i ireturn
method public static toUnsigned (D)J
dload 0 double 0x43e0000000000000 dcmpl ifge large
dload 0 d2l long 0 invokestatic java/lang/Math.max (JJ)J lreturn
large: dload 0 double 0x43f0000000000000 dcmpl ifge most
dload 0 double 0x43e0000000000000 dsub d2l long 0x8000000000000000 lxor lreturn
most: long -1 lreturn
method public static toDouble (J)D
lload 0 long 0 lcmp iflt large
lload 0 l2d dreturn
large: lload 0 int 1 lushr lload 0 long 1 land lor l2d dup2 dadd dreturn
method public static toFloat (J)F
lload 0 long 0 lcmp iflt large
lload 0 l2f freturn
large: lload 0 int 1 lushr lload 0 long 1 land lor l2f dup fadd freturn
method public static keepSlot (IJ[B)V
${KEPT_ARRAY} aload 3 aastore ${KEPT_INDEX} lload 1 l2i iastore return
method public static dropSlot (I)V
${KEPT_ARRAY} aconst_null aastore return
method public static readKept (I)J
${KEPT_ARRAY} aaload ifnull none
${LONG} ${KEPT_ARRAY} aaload ${KEPT_INDEX} iaload invokevirtual ${HANDLE}.get ([BI)J lreturn
none: long 0 lreturn
method public static writeKept (IJ)V
${KEPT_ARRAY} aaload ifnull none
${LONG} ${KEPT_ARRAY} aaload ${KEPT_INDEX} iaload lload 1 invokevirtual ${HANDLE}.set ([BIJ)V
none: return
`;

const MAIN = "touchstone/Main";
const BOX = "touchstone/Box";
const METHODS = "[Ljava/lang/reflect/Method;";
const INPUT = "Ljava/io/DataInputStream;";
const OUTPUT = "Ljava/io/DataOutputStream;";

/** The virtual machine's interface for tests, whose name depends on the release. */
const BOX_CLASS = `class ${BOX} extends java/lang/Object
method public <init> ()V
aload 0 invokespecial java/lang/Object.<init> ()V return
method public abstract compile (Ljava/lang/reflect/Executable;I)Z
method public abstract level (Ljava/lang/reflect/Executable;)I
`;
const WHITE_BOXES = ["jdk/test/whitebox/WhiteBox", "sun/hotspot/WhiteBox"];
const whiteBox = (name: string): string => `class ${name} extends ${BOX}
method public <init> ()V
aload 0 invokespecial ${BOX}.<init> ()V invokestatic ${name}.registerNatives ()V return
method public static native registerNatives ()V
method public native enqueueMethodForCompilation0 (Ljava/lang/reflect/Executable;II)Z
method public native getMethodCompilationLevel0 (Ljava/lang/reflect/Executable;Z)I
method public compile (Ljava/lang/reflect/Executable;I)Z
aload 0 aload 1 iload 2 int -1 invokevirtual ${name}.enqueueMethodForCompilation0 (Ljava/lang/reflect/Executable;II)Z ireturn
method public level (Ljava/lang/reflect/Executable;)I
aload 0 aload 1 int 0 invokevirtual ${name}.getMethodCompilationLevel0 (Ljava/lang/reflect/Executable;Z)I ireturn
`;

/** The level of code of C1 with counters, from which C2 takes the facts that it speculates on. */
const PROFILED = 3;
const C2 = 4;
/** Runs before an execution: C2 ignores branches that were executed less than 40 times. */
const WARM_UPS = 50;
const WARM_UPS_OF_C1 = 2;

const readWord = `getstatic ${MAIN}.in ${INPUT} invokevirtual java/io/DataInputStream.readInt ()I invokestatic java/lang/Integer.reverseBytes (I)I`;
const writeWord = (value: string): string =>
  `getstatic ${MAIN}.out ${OUTPUT} ${value} invokestatic java/lang/Integer.reverseBytes (I)I invokevirtual java/io/DataOutputStream.writeInt (I)V`;
const EXECUTE = `invokestatic ${MAIN}.execute (Ljava/lang/Runnable;[BI)V`;
const compileAll = (level: string): string =>
  `aload 0 ${level} invokestatic ${MAIN}.compile (Ljava/lang/Object;I)I`;

const MAIN_CLASS = `class ${MAIN} extends java/lang/ClassLoader
field static in ${INPUT}
field static out ${OUTPUT}
field static level I
field static box L${BOX};
field static programs [Ljava/lang/Runnable;
field static heaps [[B
method public <init> ()V
aload 0 type ${MAIN} invokevirtual java/lang/Class.getClassLoader ()Ljava/lang/ClassLoader;
invokespecial java/lang/ClassLoader.<init> (Ljava/lang/ClassLoader;)V return
method static load (I)Ljava/lang/Runnable;
new java/lang/StringBuilder dup invokespecial java/lang/StringBuilder.<init> ()V
iload 0 invokevirtual java/lang/StringBuilder.append (I)Ljava/lang/StringBuilder;
invokevirtual java/lang/StringBuilder.toString ()Ljava/lang/String;
invokestatic java/lang/ClassLoader.getSystemResourceAsStream (Ljava/lang/String;)Ljava/io/InputStream;
invokevirtual java/io/InputStream.readAllBytes ()[B astore 1
new ${MAIN} dup invokespecial ${MAIN}.<init> ()V
aconst_null aload 1 int 0 aload 1 arraylength
invokevirtual ${MAIN}.defineClass (Ljava/lang/String;[BII)Ljava/lang/Class;
aconst_null checkcast [Ljava/lang/Class; invokevirtual java/lang/Class.getDeclaredConstructor ([Ljava/lang/Class;)Ljava/lang/reflect/Constructor;
aconst_null checkcast [Ljava/lang/Object; invokevirtual java/lang/reflect/Constructor.newInstance ([Ljava/lang/Object;)Ljava/lang/Object;
checkcast java/lang/Runnable areturn
method static execute (Ljava/lang/Runnable;[BI)V
catch from to handler java/lang/Error
aload 1 putstatic ${RUNTIME}.words [B
int 0 putstatic ${RUNTIME}.recorded I
int 0 putstatic ${RUNTIME}.status I
getstatic ${RUNTIME}.kept [[B aconst_null invokestatic java/util/Arrays.fill ([Ljava/lang/Object;Ljava/lang/Object;)V
getstatic ${RUNTIME}.heap [B iload 2 invokestatic ${MAIN}.fill ([BI)V
from: aload 0 invokeinterface java/lang/Runnable.run ()V
int ${ENDED} putstatic ${RUNTIME}.status I return
to: return
handler: astore 3
aload 3 getstatic ${RUNTIME}.ended Ljava/lang/Error; if_acmpeq ended
aload 3 athrow
ended: return
method static fill ([BI)V
int 0 istore 2
next: iload 2 aload 0 arraylength if_icmpge done
iload 1 iload 1 int 13 ishl ixor istore 1
iload 1 iload 1 int 17 iushr ixor istore 1
iload 1 iload 1 int 5 ishl ixor istore 1
getstatic ${RUNTIME}.INT L${HANDLE}; aload 0 iload 2 iload 1 invokevirtual ${HANDLE}.set ([BII)V
iload 2 int 4 iadd istore 2 goto next
done: return
method static compile (Ljava/lang/Object;I)I
int 0 istore 4
aload 0 invokevirtual java/lang/Object.getClass ()Ljava/lang/Class; invokevirtual java/lang/Class.getDeclaredMethods ()${METHODS} astore 2
int 0 istore 3
next: iload 3 aload 2 arraylength if_icmpge done
getstatic ${MAIN}.box L${BOX}; aload 2 iload 3 aaload invokevirtual ${BOX}.level (Ljava/lang/reflect/Executable;)I iload 1 if_icmpeq counted
getstatic ${MAIN}.box L${BOX}; aload 2 iload 3 aaload iload 1 invokevirtual ${BOX}.compile (Ljava/lang/reflect/Executable;I)Z pop
getstatic ${MAIN}.box L${BOX}; aload 2 iload 3 aaload invokevirtual ${BOX}.level (Ljava/lang/reflect/Executable;)I iload 1 if_icmpne other
counted: iload 4 int 1 iadd istore 4
other: iload 3 int 1 iadd istore 3 goto next
done: iload 4 ireturn
method static prepare (Ljava/lang/Runnable;[BI)V
aload 0 aload 1 iload 2 ${EXECUTE}
int ${WARM_UPS_OF_C1} istore 3
getstatic ${MAIN}.level I int ${C2} if_icmpne again
int ${WARM_UPS} istore 3
${compileAll(`int ${PROFILED}`)} pop
again: aload 0 aload 1 iload 2 ${EXECUTE}
iload 3 int 1 isub istore 3
iload 3 ifgt again
${compileAll(`getstatic ${MAIN}.level I`)} pop
aload 0 aload 1 iload 2 ${EXECUTE} return
method static newBox ()L${BOX};
catch from to handler java/lang/LinkageError
from: new ${WHITE_BOXES[0]} dup invokespecial ${WHITE_BOXES[0]}.<init> ()V areturn
to: return
handler: pop new ${WHITE_BOXES[1]} dup invokespecial ${WHITE_BOXES[1]}.<init> ()V areturn
method public static main ([Ljava/lang/String;)V
catch from to handler java/io/EOFException
new java/io/DataInputStream dup new java/io/BufferedInputStream dup getstatic java/lang/System.in Ljava/io/InputStream;
invokespecial java/io/BufferedInputStream.<init> (Ljava/io/InputStream;)V
invokespecial java/io/DataInputStream.<init> (Ljava/io/InputStream;)V putstatic ${MAIN}.in ${INPUT}
new java/io/DataOutputStream dup new java/io/BufferedOutputStream dup getstatic java/lang/System.out Ljava/io/PrintStream;
invokespecial java/io/BufferedOutputStream.<init> (Ljava/io/OutputStream;)V
invokespecial java/io/DataOutputStream.<init> (Ljava/io/OutputStream;)V putstatic ${MAIN}.out ${OUTPUT}
int 65536 anewarray java/lang/Runnable putstatic ${MAIN}.programs [Ljava/lang/Runnable;
int 65536 anewarray [B putstatic ${MAIN}.heaps [[B
ldc touchstone.level
int 0 invokestatic java/lang/Integer.getInteger (Ljava/lang/String;I)Ljava/lang/Integer;
invokevirtual java/lang/Integer.intValue ()I putstatic ${MAIN}.level I
getstatic ${MAIN}.level I ifeq from
invokestatic ${MAIN}.newBox ()L${BOX}; putstatic ${MAIN}.box L${BOX};
from: ${readWord} istore 1
goto to
to: iload 1 int 65535 iand istore 2
${readWord} istore 3
${readWord} int 4 imul istore 4
iload 4 int 8 iadd newarray 8 astore 5
getstatic ${MAIN}.in ${INPUT} aload 5 int 0 iload 4 invokevirtual java/io/DataInputStream.readFully ([BII)V
getstatic ${MAIN}.programs [Ljava/lang/Runnable; iload 2 aaload astore 6
aload 6 ifnonnull loaded
iload 2 invokestatic ${MAIN}.load (I)Ljava/lang/Runnable; astore 6
getstatic ${MAIN}.programs [Ljava/lang/Runnable; iload 2 aload 6 aastore
getstatic ${MAIN}.heaps [[B iload 2 getstatic ${RUNTIME}.heap [B aastore
getstatic ${MAIN}.level I ifeq loaded
aload 6 aload 5 iload 3 invokestatic ${MAIN}.prepare (Ljava/lang/Runnable;[BI)V
loaded: getstatic ${MAIN}.heaps [[B iload 2 aaload putstatic ${RUNTIME}.heap [B
int 0 istore 7
getstatic ${MAIN}.level I ifeq run
aload 6 getstatic ${MAIN}.level I invokestatic ${MAIN}.compile (Ljava/lang/Object;I)I ifne run
int ${UNCOMPILED} istore 7
run: aload 6 aload 5 iload 3 ${EXECUTE}
${writeWord(`iload 1 int -65536 iand getstatic ${RUNTIME}.status I ior iload 7 ior`)}
${writeWord(`getstatic ${RUNTIME}.recorded I`)}
getstatic ${MAIN}.out ${OUTPUT} getstatic ${RUNTIME}.records [B int 0 getstatic ${RUNTIME}.recorded I
invokevirtual java/io/DataOutputStream.write ([BII)V
getstatic ${MAIN}.out ${OUTPUT} invokevirtual java/io/DataOutputStream.flush ()V
goto from
handler: pop return
`;

/** The text of each class, by the name of its file without a suffix. */
export const CLASSES: readonly (readonly [name: string, text: string])[] = [
  [RUNTIME, RUNTIME_CLASS],
  [MAIN, MAIN_CLASS],
  [BOX, BOX_CLASS],
  ...WHITE_BOXES.map((name) => [name, whiteBox(name)] as const),
];
