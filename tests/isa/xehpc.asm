// Every opcode of xehpc and every operand form, in the assembler's words.
// One instruction per line; tests/isa/test_isa_iga.c assembles this file with
// iga64 and expects our decoder, encoder and printer to agree.
// Basic: regions, strides, subregisters
mov (16|M0) r10.0<1>:f r12.0<8;8,1>:f
mov (8|M0) r10.0<2>:d r1.1<4;1,0>:w
mov (8|M0) r10.1<2>:b r1.1<4;1,0>:ub
mov (1|M0) r1.0<4>:w r1.0<0;1,0>:w
mov (32|M0) r1.0<1>:w r1.0<16;16,1>:w
mov (32|M0) r1.0<1>:uw r1.0<32;16,2>:uw
mov (2|M8) r255.7<1>:ud r0.0<2;2,1>:ud
mov (8|M0) r10.0<1>:bf r11.0<1;1,0>:f
mov (8|M0) r10.0<1>:f r11.0<1;1,0>:bf
mov (8|M0) r10.0<1>:hf r11.0<1;1,0>:f
mov (4|M0) r10.0<1>:q r11.0<1;1,0>:uq
mov (4|M0) r10.0<1>:df r11.0<1;1,0>:df
mov (16|M0) r10.63<1>:b r11.63<1;1,0>:b
mov (16|M0) r10.0<1>:tf32 r11.0<1;1,0>:f
mov (16|M0) r10.0<1>:bf8 r11.0<1;1,0>:hf
mov (16|M0) r10.0<1>:hf r11.0<1;1,0>:bf8
// Modifiers, predicates, conditions, options
add (16|M0) r3.0<1>:f -r2.0<1;1,0>:f (abs)r4.0<1;1,0>:f
add (16|M0) r3.0<1>:f -(abs)r2.0<1;1,0>:f r4.0<1;1,0>:f
and (16|M0) r3.0<1>:ud ~r2.0<1;1,0>:ud r4.0<2;1,0>:ud
and (8|M0) r1.0<1>:ud (abs)r2.0<1;1,0>:ud -(abs)r3.0<1;1,0>:ud
or (16|M0) r3.0<1>:ud r2.0<1;1,0>:ud ~r4.0<2;1,0>:ud
xor (1|M0) r1.0<1>:ud ~r255.7<0;1,0>:ud 0x1:ud
not (1|M0) r1.0<1>:ud ~r255.7<0;1,0>:ud
shl (1|M0) r1.0<1>:ud -r255.7<0;1,0>:ud 0x1:ud
shr (8|M0) r1.0<1>:ud r2.0<1;1,0>:ud r3.0<1;1,0>:ud
asr (1|M0) r1.0<1>:d -r255.7<0;1,0>:d 0x1:ud
add (16|M0) (sat)r3.0<1>:f r2.0<1;1,0>:f 2.0:f {@2}
add (16|M0) (le)f1.0 (sat)r3.0<1>:f r2.0<1;1,0>:f 2.0:f {@2,Breakpoint}
add (8|M0) r1.0<1>:d r2.0<1;1,0>:d r3.0<1;1,0>:d {Atomic,Breakpoint,@2}
(f0.1) mov (8|M8) r10.1<2>:b r1.1<4;1,0>:ub
(W) mov (8|M8) r10.0<1>:d r1.1<4;1,0>:d
(W&~f0.0) mov (16|M8) r3.0<1>:f r2.0<1;1,0>:f
(~f1.1.any) sel (8|M8) r10.1<1>:f -r1.0<8;8,1>:f (abs)r2.0<8;8,1>:f
(f0.0.any) mov (16|M0) r3.0<1>:f r2.0<1;1,0>:f
(f0.0.all) mov (16|M0) r3.0<1>:f r2.0<1;1,0>:f
(f0.0.any) mov (16|M0) r3.0<1>:f r2.0<1;1,0>:f
(f0.0.all) mov (16|M0) r3.0<1>:f r2.0<1;1,0>:f
(f0.0.any) mov (16|M0) r3.0<1>:f r2.0<1;1,0>:f
(f0.0.all) mov (16|M0) r3.0<1>:f r2.0<1;1,0>:f
(f0.0.any) mov (16|M0) r3.0<1>:f r2.0<1;1,0>:f
(f0.0.all) mov (16|M0) r3.0<1>:f r2.0<1;1,0>:f
(f0.0.any) mov (16|M0) r3.0<1>:f r2.0<1;1,0>:f
(f0.0.all) mov (16|M0) r3.0<1>:f r2.0<1;1,0>:f
(f0.0.any) mov (16|M0) r3.0<1>:f r2.0<1;1,0>:f
(f0.0.all) mov (16|M0) r3.0<1>:f r2.0<1;1,0>:f
mov (16|M0) (eq)f1.1 r3.0<1>:f r2.0<1;1,0>:f
mov (16|M0) (ne)f1.0 r3.0<1>:f r2.0<1;1,0>:f
mov (16|M0) (gt)f0.1 r3.0<1>:f r2.0<1;1,0>:f
mov (16|M0) (ge)f0.0 r3.0<1>:f r2.0<1;1,0>:f
mov (16|M0) (lt)f1.1 r3.0<1>:f r2.0<1;1,0>:f
mov (16|M0) (le)f1.1 r3.0<1>:f r2.0<1;1,0>:f
mov (16|M0) (ov)f1.1 r3.0<1>:f r2.0<1;1,0>:f
mov (16|M0) (un)f1.1 r3.0<1>:f r2.0<1;1,0>:f
sel (16|M0) (lt)f0.0 r3.0<1>:f r2.0<1;1,0>:f 2.0:f
cmp (16|M0) (lt)f0.0 null<1>:f r1.0<8;8,1>:f r2.0<8;8,1>:f
cmp (16|M0) (ge)f0.0 r3.0<1>:d r1.0<8;8,1>:d -7:w
cmpn (8|M0) (lt)f0.0 r1.0<1>:f r2.0<1;1,0>:f r3.0<1;1,0>:f
// Immediates
mov (16|M0) r10.0<1>:d -5:w
mov (16|M0) r10.0<1>:d -5:d
mov (16|M0) r10.0<1>:d 2147483647:d
mov (16|M0) r10.0<1>:ud 0xFFFFFFFF:ud
mov (16|M0) r10.0<1>:ud 0xFFFF:uw
mov (4|M0) r3.0<1>:q -5:q
mov (4|M0) r3.0<1>:uq 0x123456789ABCDEF0:uq
mov (4|M0) r3.0<1>:df 0.1:df
mov (4|M0) r3.0<1>:df 3.141592653589793:df
mov (4|M0) r3.0<1>:df 0x7ff8000000000001:df
mov (4|M0) r3.0<1>:df -1e100:df
mov (16|M0) r10.0<1>:hf 1.5:hf
mov (16|M0) r3.0<1>:hf 0x7d01:hf
mov (16|M0) r3.0<1>:hf 0x2e66:hf
mov (16|M0) r3.0<1>:f -inf:f
mov (16|M0) r3.0<1>:f 0x7f800001:f
mov (16|M0) r3.0<1>:f 0xFFC12345:f
mov (16|M0) r3.0<1>:f 0x80000000:f
mov (16|M0) r3.0<1>:f 1e30:f
mov (16|M0) r3.0<1>:f 123456789.0:f
mov (16|M0) r3.0<1>:f 0x1:f
mov (8|M0) r10.0<1>:w 0x76543210:v
mov (8|M0) r10.0<1>:uw 0x76543210:uv
mov (4|M0) r10.0<1>:f 0x30:vf
add (8|M0) r1.0<1>:w r2.0<1;1,0>:w 0x5:v
mov (1|M0) r1.0<1>:q 5:d
// Indirect
mov (8|M0) r10.0<1>:f r[a0.0,16]<1,0>:f
mov (8|M0) r10.0<1>:d r[a0.3,-16]<8;8,1>:d
mov (8|M0) r10.0<1>:d r[a0.3]<0;1,0>:d
mov (8|M0) r1.0<1>:d r[a0.0]<4,1>:d
mov (8|M0) r1.0<1>:d r[a0.0,-512]<8,1>:d
mov (8|M0) r1.0<1>:d r[a0.15,511]<16;16,1>:d
mov (8|M0) r[a0.3,32]<1>:d r1.0<0;1,0>:d
add (8|M0) r1.0<1>:d r2.0<1;1,0>:d r[a0.5,8]<1;1,0>:d
movi (8|M0) r1.0<1>:d r[a0.0]<1;1,0>:d r[a0.1]<1;1,0>:d
mov (8|M0) r1.0<1>:b r[a0.15,-1]<16;16,1>:b
mov (8|M0) r[a0.15,1023]<1>:b r1.0<1;1,0>:b
mov (8|M0) r1.0<1>:d r[a0.7,-1024]<4,1>:d
add (8|M0) r1.0<1>:d r2.0<1;1,0>:d r[a0.15,1022]<1,0>:d
// Architecture registers
mov (1|M0) r1.0<1>:ud acc15.0<0;1,0>:ud
mov (1|M0) r1.0<1>:uw f3.1<0;1,0>:uw
(f3.1.any) mov (16|M16) r1.0<1>:uw r2.0<1;1,0>:uw
(~f2.0.all) mov (8|M24) (eq)f2.0 r1.0<1>:uw r2.0<1;1,0>:uw
add (16|M0) acc0.0<1>:f acc2.0<8;8,1>:f -(abs)r1.2<0;1,0>:f {F@1}
mov (1|M0) r1.0<1>:ud acc7.0<0;1,0>:ud
mov (8|M0) r1.0<1>:d mme0.0<1;1,0>:d
mov (8|M0) mme3.0<1>:d r1.0<0;1,0>:d
or (1|M0) cr0.0<1>:ud cr0.0<0;1,0>:ud 0x4C0:uw {A@1}
mov (1|M0) f0.1<1>:uw r1.0<0;1,0>:uw
mov (1|M0) r1.15<4>:uw f1.0<0;1,0>:ud
mov (1|M0) a0.2<1>:ud r1.0<0;1,0>:ud
mov (1|M0) r1.0<1>:ud a0.0<0;1,0>:ud
mov (1|M0) r1.0<1>:ud sr0.1<0;1,0>:ud
mov (1|M0) r1.0<1>:ud sr1.0<0;1,0>:ud
mov (1|M0) r1.0<1>:ud tm0.4<0;1,0>:ud
mov (1|M0) r1.0<1>:ud ce<0;1,0>:ud
mov (1|M0) r1.0<1>:ud ip<0;1,0>:ud
mov (1|M0) r1.0<1>:ud tdr0.3<0;1,0>:ud
mov (1|M0) r1.0<1>:ud dbg0.0<0;1,0>:ud
mov (1|M0) r1.0<1>:ud fc0.0<0;1,0>:ud
mov (1|M0) r1.0<1>:ud n0.2<0;1,0>:ud
mov (1|M0) r1.0<1>:ud msg7.0<0;1,0>:ud
mov (1|M0) null<1>:uw f0.0<0;1,0>:ud
mov (1|M0) ip<1>:d r255.7<0;1,0>:ud
// Remaining one- and two-source opcodes
mul (16|M0) acc0.0<1>:d r2.0<1;1,0>:d r4.0<2;1,0>:uw
mach (16|M0) r6.0<1>:d r2.0<1;1,0>:d r4.0<1;1,0>:d
mac (16|M0) r6.0<1>:f r2.0<1;1,0>:f r4.0<1;1,0>:f
avg (16|M0) r6.0<1>:w r2.0<1;1,0>:w r4.0<1;1,0>:w
frc (16|M0) r6.0<1>:f r2.0<1;1,0>:f
rndu (16|M0) r6.0<1>:f r2.0<1;1,0>:f
rndd (16|M0) r6.0<1>:f r2.0<1;1,0>:f
rnde (16|M0) r6.0<1>:f r2.0<1;1,0>:f
rndz (16|M0) r6.0<1>:f r2.0<1;1,0>:f
lzd (16|M0) r6.0<1>:ud -r2.0<1;1,0>:d
fbh (16|M0) r6.0<1>:ud r2.0<1;1,0>:d
fbl (16|M0) r6.0<1>:ud r2.0<1;1,0>:ud
cbit (16|M0) r6.0<1>:ud r2.0<1;1,0>:ub
bfrev (16|M0) r6.0<1>:ud r2.0<1;1,0>:ud
addc (16|M0) r6.0<1>:ud r2.0<1;1,0>:ud r4.0<1;1,0>:ud
subb (16|M0) r6.0<1>:ud r2.0<1;1,0>:ud r4.0<1;1,0>:ud
ror (8|M0) r1.0<1>:ud r2.0<1;1,0>:ud 0x3:uw
rol (8|M0) r1.0<1>:uw r2.0<1;1,0>:uw r3.0<1;1,0>:uw
bfi1 (8|M0) r1.0<1>:ud r2.0<1;1,0>:ud r3.0<1;1,0>:ud
// math
math.inv (8|M0) (sat)r1.0<1>:f -(abs)r2.0<1;1,0>:f {$1}
math.log (8|M0) r1.0<1>:f r2.0<1;1,0>:f {$2}
math.exp (8|M0) r1.0<1>:hf r2.0<1;1,0>:hf {$3}
math.sqt (8|M0) r1.0<1>:f r2.0<1;1,0>:f {$4.dst}
math.rsqt (8|M0) r1.0<1>:f r2.0<1;1,0>:f {$5.src}
math.cos (8|M0) r1.0<1>:f r2.0<1;1,0>:f {F@3}
math.inv (1|M0) r1.0<1>:f 1.5:f
math.invm (8|M0) (eo)f1.0 r1.mme2:f r2.mme3:f r3.nomme:f {$1}
math.rsqtm (8|M0) (eo)f0.0 r1.mme0:f r2.mme1:f {$1}
math.sin (8|M0) r1.0<1>:f r2.0<1;1,0>:f {@3,$15.dst}
math.rsqt (8|M0) r1.0<1>:df r2.0<1;1,0>:df
macl (16|M0) r6.0<1>:d r2.0<1;1,0>:d r4.0<1;1,0>:d
srnd (16|M0) r6.0<1>:hf r2.0<1;1,0>:f r4.0<1;1,0>:f
srnd (16|M0) r6.0<1>:bf8 r2.0<1;1,0>:hf r4.0<1;1,0>:hf
// Scoreboard
mov (8|M0) r1.0<1>:d r2.0<1;1,0>:d {M@2}
mov (8|M0) acc3.0<1>:d r2.0<1;1,0>:d {NoAccSBSet}
mov (8|M0) r1.0<1>:d r2.0<1;1,0>:d {$31.dst}
mov (8|M0) r1.0<1>:d r2.0<1;1,0>:d {$31.src}
mov (8|M0) r1.0<1>:d r2.0<1;1,0>:d {@7,$31.dst}
mov (8|M0) r1.0<1>:d r2.0<1;1,0>:d {@7,$31.src}
mov (8|M0) r1.0<1>:d r2.0<1;1,0>:d {A@7,$31.dst}
sync.nop null {$31}
mov (8|M0) r1.0<1>:d r2.0<1;1,0>:d {@7}
mov (8|M0) r1.0<1>:d r2.0<1;1,0>:d {A@3}
mov (8|M0) r1.0<1>:d r2.0<1;1,0>:d {F@1}
mov (8|M0) r1.0<1>:d r2.0<1;1,0>:d {I@4}
mov (8|M0) r1.0<1>:d r2.0<1;1,0>:d {L@7}
mov (8|M0) r1.0<1>:d r2.0<1;1,0>:d {$15.dst}
mov (8|M0) r1.0<1>:d r2.0<1;1,0>:d {$0.src}
mov (8|M0) r1.0<1>:d r2.0<1;1,0>:d {@7,$3.dst}
// Three sources
mad (8|M0) r1.0<1>:f r2.0<8;1>:f r3.0<4;1>:f r4.0<2>:f
mad (16|M0) r10.0<1>:f r12.0<1;0>:f r14.0<0;0>:f r16.0<1>:f {F@1}
mad (8|M0) r1.1<1>:f -r2.2<8;4>:f (abs)r3.3<8;2>:f -(abs)r4.4<4>:f
mad (8|M0) (lt)f0.0 (sat)acc0.0<1>:f r2.0<0;0>:f acc0.0<1;0>:f acc3.0<1>:f
mad (8|M0) r1.0<2>:d 5:w r3.0<4;1>:w r4.0<2>:w
mad (8|M0) r1.0<1>:d 0x1234:uw r2.0<1;0>:w 0x4:uw
mad (8|M0) r1.0<1>:hf r3.0<1;0>:hf r4.0<1;0>:hf 1.0:hf
mad (8|M0) r1.0<1>:bf r2.0<0;0>:bf r3.0<1;0>:f r4.0<2>:f
mad (4|M0) r1.0<1>:df r2.0<0;0>:df r3.0<1;0>:df r4.0<0>:df
(f0.0) mad (8|M0) r1.0<1>:d r2.0<8;1>:d r3.0<4;1>:w r4.0<2>:w {Atomic}
madm (8|M0) r1.mme0:f -r2.nomme:f r3.mme1:f (abs)r4.mme7:f
madm (8|M0) acc0.mme1:f r2.nomme:f acc0.mme1:f r4.mme2:f
add3 (8|M0) r1.0<1>:d r2.0<0;0>:ud r3.0<0;1>:d -2:w
add3 (8|M0) (eq)f0.0 (sat)r1.0<1>:d -r2.0<1;0>:d (abs)r2.0<1;0>:d r4.0<1>:w
add3 (8|M0) null<1>:d r2.0<0;0>:ud r3.0<0;1>:d 0x1234:uw
csel (8|M0) (lt)f0.1 r1.0<1>:f r3.0<1;0>:f r4.0<1;0>:f r5.0<1>:f
csel (8|M0) (ge)f1.0 r1.0<1>:d r3.0<1;0>:d r4.0<1;0>:d r5.0<1>:d
bfn.(s0&s1|s2) (8|M0) (eq)f0.0 r1.0<1>:ud r3.0<1;0>:ud r4.0<1;0>:ud r5.0<1>:ud
bfn.0x96 (8|M0) (gt)f1.1 r1.0<1>:ud r3.0<1;0>:ud r4.0<1;0>:ud r5.0<1>:ud
bfn.0x01 (8|M0) (lt)f1.0 r1.0<1>:ud 0x1:uw r4.0<1;0>:ud 0x2:uw
(f0.0) bfn.0xCA (8|M0) r1.0<1>:uw r3.0<1;0>:uw r4.0<1;0>:uw r5.0<1>:uw
bfe (8|M0) r1.0<1>:ud r3.0<1;0>:ud r4.0<1;0>:ud r5.0<1>:ud
bfi2 (8|M0) r1.0<1>:d r3.0<1;0>:d r4.0<1;0>:d r5.0<1>:d
dp4a (8|M0) (sat)r1.0<1>:d acc0.0<1;0>:d r4.0<1;0>:ud r5.0<1>:ud
// Systolic
dpas.8x8 (16|M0) r10:f r10:f r20:hf r30.0:hf {Atomic}
dpas.8x8 (16|M0) r10:f null:f r20:bf r30.0:bf {$3}
dpas.8x1 (16|M0) r10:d null:d r20:ub r30.0:b {$1}
dpas.8x4 (16|M0) r10:ud r11:ud r20:u4 r30.8:u4 {$1,@2}
dpas.8x4 (16|M0) r10:d r11:d r20:s4 r30.8:b {$1}
dpas.8x2 (16|M0) r10:d r11:d r20:u2 r30.8:s2 {$1}
dpas.8x7 (16|M0) r10:bf r18:bf r20:bf r30.0:bf {$1}
dpas.8x2 (16|M0) r10.8:hf r11.8:hf r20:hf r30.8:hf {Breakpoint}
dpas.8x8 (16|M0) r10:f r18:f r30:tf32 r40.0:tf32 {$1}
dpas.8x8 (16|M0) r10:f r18:f r30:bf8 r40.0:bf8 {$1}
dpas.8x8 (16|M0) r10.16:hf r18.16:hf r30:hf r40.16:hf {@3,$9.dst}
dpas.8x8 (16|M0) r10:f r18:f r30:bf r40.31:bf {@3,$9.src}
dpas.4x8 (16|M0) r10:f r18:f r30:bf r40.31:bf {@3,$9}
dpas.2x8 (16|M0) r10:f r18:f r30:bf r40.31:bf {$9.src}
// Branches
target:
(f0.0) if (16|M0) target done
(f0.0) if.b (16|M0) target done
else (16|M0) target done
else.b (16|M0) target done
endif (16|M0) target
(f0.0) while (16|M0) target
break (16|M0) target done
(f1.1.any) cont (16|M0) target done
halt (16|M0) target done
(f0.0) goto (16|M0) target done
(~f0.0) goto.b (16|M16) done target
join (16|M0) target
(W) jmpi target {I@1}
(W&f0.0.any) jmpi target
(W) jmpi r1.0
(W) jmpi a0.5
brd (16|M0) target
brd (16|M0) r1.0
brc (16|M0) target done
brc (16|M0) r1.0
(f0.0) call (16|M0) r1.4 target
call (16|M0) r1.0 r2.2
calla (16|M0) r1.0 16
ret (16|M0) r1.0
(f0.0) ret (8|M0) r5.3 {@1}
done:
// Synchronisation
sync.nop null {$1.dst}
sync.nop null {F@2}
(W) sync.nop null {A@1}
sync.allrd null
sync.allrd ($0,$2,$15)
sync.allwr null {I@3}
sync.allwr ($1)
sync.allwr 0x0
sync.bar null
sync.bar 0x3
sync.bar f2.0:ud
sync.bar f2.1:uw
sync.fence null
sync.host null
nop
nop {$1.dst}
illegal
// Messages
send.ugm (16|M0) r1 r2 r4:4 0x0 0x08200580 {F@7,$31}
send.ugm (16|M0) r1 r2 r4:4 0x0 0x08200580 {I@1,$0}
send.ugm (16|M0) r1 r2 r4:4 0x0 0x08200580 {L@1}
(W) send.ugm (16|M0) r1 r2 null:0 0x0 0x08200580 {$1}
send.ugm (16|M0) r1 r2 r4:2 0x0 0x08200580 {A@1,$1}
send.ugm (16|M0) null r2 r4:2 a0.2 0x04200580 {$1,ExBSO}
send.ugm (16|M0) null r2 r4 a0.6 a0.0 {F@1}
send.slm (16|M0) null r2 r4:1 0x0 a0.0 {EOT}
send.ugm (8|M0) r1 r2 r4:4 a0.2 0x04200580 {Atomic,ExBSO,Breakpoint,EOT,$1}
(f0.0) send.ugm (16|M0) r1 r2 r3:3 0xFFFFF800 0x78200580 {$1.dst}
(W) send.gtwy (8|M0) null r112 null:0 0x0 0x02000010 {EOT}
sendc.dc0 (16|M0) r1 r2 r4:4 0x02000000 0x020B0000 {$1}
send.tgm (16|M0) r1 r2 r4:4 0xFF000000 0x020B0000
send.smpl (16|M0) r1 r2 r4:31 0x0 0x020B0000
send.null (16|M0) r1 r3 r4:3 0x0 0x08200580
send.ugml (16|M0) r1 r3 r4:3 0x0 0x08200580
send.dc1 (16|M0) r1 r3 r4:3 0x0 0x08200580
send.dc2 (16|M0) r1 r3 r4:3 0x0 0x08200580
send.rc (16|M0) r1 r3 r4:3 0x0 0x08200580
send.urb (16|M0) r1 r3 r4:3 0x0 0x08200580
send.btd (16|M0) r1 r3 r4:3 0x0 0x08200580
send.rta (16|M0) r1 r3 r4:3 0x0 0x08200580
send.dcro (16|M0) r1 r3 r4:3 0x0 0x08200580
send.pixi (16|M0) r1 r3 r4:3 0x0 0x08200580
send.ugm (8|M0) null null null:0 0x0 0x02000580
