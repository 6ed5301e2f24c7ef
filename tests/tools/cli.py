#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""cli.py XKBENCH XK SOURCE: exit codes, statuses and messages of the tools, bad
input above all: a message names the field and the value. TAP."""
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from tap import Tap  # noqa: E402

FINE = "mb1ic3ih5oc4kh3ph1"

# What xkbench is asked, its exit code, and what stdout must match.
XKBENCH = [
    # Problems that cannot be: a status and a sentence.
    (["nonsense"], 1, r"0:INVALID_ARGUMENTS \(.*nonsense.*__REPRO"),
    (["/dev/null"], 1, r"INVALID_ARGUMENTS \(/dev/null: is a file; --batch=/dev/null reads"),
    (["mb1ic3ih5oc4kh3q7"], 1, r"INVALID_ARGUMENTS \(.*\"q7\""),
    (["mb1ic3ih5oc4khx"], 1, r"INVALID_ARGUMENTS \(.*kh.*number"),
    (["mb1ic3ih5kh3"], 1, r"INVALID_ARGUMENTS \(.*oc is missing"),
    # Nothing to do is success; the gradient of weights is written as zeros.
    (["mb0ic3ih5oc4kh3"], 0, r"PASSED.*mb0_ic3"),
    (["--dt=f8_e5m2", "--stag=bax", "--attr-post-ops=sum+add:f32:per_tensor+relu",
      "mb0ic3ih5oc4kh3"], 0, r"PASSED"),
    (["--dt=u8:s8:s8", "--attr-zero-points=src:common:3", "--dtag=Axb16a", "--dir=FWD_I",
      "g2mb0ic4iw5oc4kw3"], 0, r"PASSED"),
    (["--dir=BWD_D", "mb0ic3ih5oc4kh3"], 0, r"PASSED"),
    (["--dir=BWD_WB", "--dt=bf16", "--wtag=Axb16a", "mb0ic3ih5oc4kh3"], 0, r"PASSED"),
    (["--dir=BWD_W", "--hash", "g2mb0ic4id5oc4kd3"], 0, r"PASSED"),
    (["--mode=P", "mb0ic3ih5oc4kh3"], 0, r"mb0"),
    (["--mode=B", "mb0ic3ih5oc4kh3"], 0, r"PASSED"),
    (["--mb=0", "--stag=axc", "mb0ic3ih5oc4kh3"], 1, r"(INVALID|UNIMPL).*axc"),
    (["mb1ic0ih5oc4kh3"], 1, r"INVALID_ARGUMENTS \(.*ic=0"),
    (["mb1ic-3ih5oc4kh3"], 1, r"INVALID_ARGUMENTS \(.*ic=-3"),
    (["mb1ic3ih5oc4kh3sh0"], 1, r"INVALID_ARGUMENTS \(.*sh=0"),
    (["mb1ic3ih5oc4kh3ph-1"], 1, r"INVALID_ARGUMENTS \(.*ph=-1"),
    (["mb1ic99999999999999999999ih5oc4kh3"], 1,
     r"INVALID_ARGUMENTS \(.*ic=99999"),
    (["mb1ic3ih5oc4kh7"], 1, r"INVALID_ARGUMENTS \(.*kh=7.*ih=5"),
    (["mb1ic3ih5oc4oh1kh3"], 1, r"INVALID_ARGUMENTS \(.*oh=1"),
    (["g2mb1ic3ih5oc4kh3"], 1, r"INVALID_ARGUMENTS \(.*ic=3.*g=2"),
    (["--stag=axc", FINE], 1, r"(INVALID_ARGUMENTS|UNIMPLEMENTED) \(.*axc"),
    (["--wtag=bogus", FINE], 1, r"INVALID_ARGUMENTS \(.*bogus"),
    # Sizes that are only too large together.
    (["mb2000000000ic2000000000ih2000000000oc2000000000kh3"], 1,
     r"(INVALID_ARGUMENTS|UNIMPLEMENTED) \(.*\)"),
    (["mb1ic100000ih1000oc4kh3"], 1, r"UNIMPLEMENTED \(.*src.*bytes"),
    # Well formed, not implemented: the reason is there.
    (["--platform=xelp", FINE], 1, r"UNIMPLEMENTED \(.*xelp.*--platform=xelp"),
    (["--dir=BWD_D", FINE], 0, r"0:PASSED.*__REPRO: --dir=BWD_D"),
    # A sum in parts of three spatial dims, groups, and neither M nor N: 13 indices, some of 1.
    (["--deconv", "--dir=BWD_D", "--dt=f16", "g2mb1_ic2id1ih1iw1_oc2od3oh1ow1_kd5kh1kw1_pd1"], 0,
     r"0:PASSED"),
    (["--dir=BWD_W", FINE], 0, r"0:PASSED.*__REPRO: --dir=BWD_W"),
    (["--dir=BWD_WB", "--dt=f16:f32:f16", FINE], 0, r"0:PASSED.*BWD_WB"),
    # A sum in parts, whose padding in scratch is cleared.
    (["--dir=BWD_WB", "--dt=f16", "--wtag=ABx16a16b", "mb2ic8ih40oc8kh3ph1"],
     0, r"0:PASSED"),
    (["--dir=BWD_D", "--attr-post-ops=relu", FINE], 1,
     r"UNIMPLEMENTED \(n_post_ops=1: with prop=BWD_D"),
    (["--dt=bf16", FINE], 0, r"0:PASSED.*__REPRO: --dt=bf16"),
    (["--dt=s8:s8:f8_e5m2", FINE], 0, r"0:PASSED.*--dt=s8:s8:f8_e5m2"),
    (["--dt=s8:s8:s4", FINE], 1, r"UNIMPLEMENTED \(dst_type=s4.*--dt=s8:s8:s4"),
    (["g4mb1ic4ih5oc4kh3"], 0, r"0:PASSED .*: g4mb1_ic4ih5iw5_oc4oh3"),
    (["g4mb1ic4id5oc4kd3"], 0, r"0:PASSED .*: g4mb1_ic4id5"),
    (["--wtag=bacdE16e", "g4mb1ic8ih5oc8kh3"], 0, r"0:PASSED"),
    (["--attr-scales=wei:1", "g4mb1ic8ih5oc8kh3"], 1,
     r"UNIMPLEMENTED \(scale\[wei\].*mask 1"),
    (["--stag=bax", "mb2ic3ih5oc4kh3"], 0, r"0:PASSED"),
    (["--stag=bax", FINE], 0, r"0:PASSED"),  # one image: abx
    (["--attr-post-ops=sum:2:1", FINE], 1, r"UNIMPLEMENTED \(.*zero_point=1"),
    (["--attr-post-ops=sum+sum", FINE], 0, r"0:PASSED"),
    (["--attr-post-ops=sum:1:0:f16", FINE], 1, r"type=f16 is not implemented: "
     r"a sum reads dst, which is f32"),
    (["--attr-oscale=per_oc:2", FINE], 1, r"UNIMPLEMENTED \(.*per_oc:2"),
    (["--attr-oscale=common:0", FINE], 1, r"UNIMPLEMENTED \(.*common:0"),
    # Depth: 2 * 4 * 4 * 3^3 * 3^3 operations, and layouts of five dims.
    (["--mode=P", "--perf-template=%name%;%ops%", "mb1ic4id5oc4kd3n\"vol\""],
     0, r"\nvol;23328\n"),
    (["--stag=ndhwc", "--wtag=dhwio", "--dtag=ncdhw", "mb1ic4id5oc4kd3pd1"], 0,
     r"0:PASSED .*--dtag=ncdhw mb1_ic4id5ih5iw5_oc4od5oh5ow5_kd3kh3kw3_"),
    (["--stag=nhwc", "mb1ic4id5oc4kd3"], 1, r"INVALID_ARGUMENTS \(.*nhwc"),
    # Types and attributes that are there.
    (["--dt=f16,f16:f16:f32,u8s8,u8:s8:s8,u8:s8:s32,u8:s8:f32", FINE], 0,
     r"passed:6"),
    (["--dt=f16", "--attr-oscale=common:2.5", "--attr-post-ops=sum:0.5+relu",
      "--stag=nchw", "--dtag=nhwc", FINE], 0,
     r"0:PASSED .*__REPRO: --dt=f16 --stag=nchw --dtag=nhwc "
     r"--attr-oscale=common:2.5 --attr-post-ops=sum:0.5\+relu mb1"),
    (["--mode=P", "--perf-template=%dt%;%attr%;%stag%", "--dt=u8:s8:s32",
      "--attr-oscale=common:2", "--attr-post-ops=sum", "--stag=axb", FINE], 0,
     r"\nu8:s8:s32;--attr-oscale=common:2 --attr-post-ops=sum;acdb\n"),
    # Schedules: set, back, two of them, a broken rule, an unknown word.
    (["--schedule=slots=1,1 m=16", FINE], 0,
     r"0:PASSED .*__REPRO: --schedule=slots=1,1\+m=16 mb1"),
    (["--perf-template=%sched%", "--schedule=slots=1,1+m=16+n=16+nsub=16",
      FINE, "--schedule=", FINE, "--schedule=n=16+nsub=16", "--reset", FINE],
     0, r"0:PASSED .*--schedule=(.*\n){2}.* m=16 n=16 nsub=16 .*slots=1,1 .*\n"
     r"1:PASSED \(\d+ ms\) __REPRO: mb1(.*\n){2}2:PASSED .*__REPRO: mb1"),
    # A gradient by weights, whose second launch, a sum, has none; residue classes,
    # of which four share a launch.
    (["--perf-template=%sched%", "--dir=bwd_w", "--dt=f16",
      "mb16ic64ih56oc128oh28kh3sh2ph1"], 0, r"\nfma=[^;\n]*\n"),
    (["--perf-template=%sched%", "--dir=bwd_d", "--dt=f16",
      "mb1ic32id8ih8iw8oc32od4oh4ow4kd3kh3kw3sd2sh2sw2pd1ph1pw1"], 0, r"\nfma=[^;\n]*; fma=[^\n]*\n"),
    (["--mode=L", "--schedule=n=16;;grf=256", FINE], 0,
     r"--schedule=n=16 mb1.*\n1:LISTED __REPRO: --mode=L mb1.*\n"
     r"2:.*--schedule=grf=256 mb1.*\n.*listed:3"),
    (["--schedule=tg=64x64", FINE], 1,
     r"INVALID_ARGUMENTS \(schedule: tg=64x64: breaks the rule group: "),
    (["--dt=f16", "--schedule=fma=mad", FINE], 1,
     r"schedule: fma=mad: breaks the rule step: "),
    # Refused are fields without which there would be a schedule, else those for
    # which there is none even alone.
    (["--schedule=m=32 n=64 grf=256", FINE], 1,
     r"schedule: m=32 or n=64: breaks the rule registers: "),
    (["--schedule=grf=256 m=7 tg=64x64 order=m", FINE], 1,
     r"schedule: m=7 and tg=64x64: breaks the rule lanes: "),
    # README's and docs/kernels.md's examples; they ask for 256 registers.
    (["--perf-template=%sched%", "--dt=f16",
      "--schedule=fma=dpas slm=0 slots=2,2", "mb1ic64ih14oc64kh3ph1"], 0,
     r"\nfma=dpas .* slots=2,2 .*slm=0 .* grf=256 "),
    (["--perf-template=%sched%", "--dt=f16",
      "--schedule=fma=dpasw m=16 n=32 tg=4x2 slots=1,2 slm=3",
      "mb1ic64ih14oc64kh3ph1"], 0,
     r"m=16 n=32 nsub=32 .* tg=4x2 .* slm=3 .* grf=256 "),
    (["--perf-template=%sched%", "--dt=f16",
      "--schedule=fma=dpas slm=0 slots=2,2 grf=128", "mb1ic64ih14oc64kh3ph1"], 0,
     r"\nfma=dpas .* slots=2,2 .*slm=0 .* grf=128 "),
    (["--dt=f16", "--schedule=fma=dpas m=32 n=32 slots=2,2 grf=128",
      "mb1ic64ih14oc64kh3ph1"], 1, r"breaks the rule registers: "),
    # Packed taps of so short a step are none.
    (["--dt=f16", "--schedule=k=2", "mb8ic3ih16oc32oh16kh3ph1"], 1,
     r"schedule: k=2: breaks the rule step: "),
    # A long text takes the place of the rule's name in no message.
    (["--dt=f16", "--schedule=" + "fma=dpasw" + "+" * 470 + "m=3", FINE], 1,
     r"schedule: m=3: breaks the rule lanes: "),
    # Tiles whose columns are no block of weights that has a tag.
    (["--mode=C", "--dt=f16", "--schedule=" + "+".join(
        "fma=dpas m=8 walk=o:p slots=1,1 grf=256 n=48 nsub=48".split()) +
      ";n=24+nsub=24+m=8+fma=dpas+slots=1,1+walk=o:p",
      "mb1ic32ih8oc64oh8kh3ph1"], 0, r"passed:2"),
    (["--schedule=n=16 colour=red", FINE], 1,
     r"INVALID_ARGUMENTS \(schedule: 'colour=red' names no field.*addr"),
    (["--schedule=addr=moon", FINE], 1, r"schedule: 'addr=moon' has no valid"),
    # Zero points of src where taps meet padding along several dims: sums of
    # weights over all but the innermost one, then over that.
    (["--dt=u8s8", "--dir=FWD_D", "--attr-zero-points=src:common:3",
      "mb1ic4ih11oc64kh9ph4"], 0, r"0:PASSED "),
    (["--dt=u8s8", "--dir=FWD_D", "--attr-zero-points=src:per_dim_1",
      "mb1ic64ih7oc64kh3ph1"], 0, r"0:PASSED "),
    # What breaks no rule, but no plan can carry out, is as wrong.
    (["--dt=f16", "--stag=axb", "--dtag=axb", "--schedule=store=packed",
      "mb2ic32ih14oc60kh3ph1"], 1,
     r"INVALID_ARGUMENTS \(schedule: no candidate fits, .*; given 'store=packed'"),
    # The template in modes C, R and I, only if it is asked for.
    (["--perf-template=%name%;%grf%;%sinstr%", FINE + 'n"t"'], 0,
     r"0:PASSED .*\nOutput template: .*\nt;[1-9]\d*;[1-9]\d*\ntests:1 "),
    # benchdnn's other symbols.
    (["--mode=I", "--dt=u8s8", "--bia-dt=f16", "--dir=FWD_D",
      "--perf-template=%driver%,%idx%,%sdt%,%bia_dt%,%alg%,%mb%,%group%,%ctx-exe%,", FINE],
     0, r"\nconv,0,u8s8,f16,direct,1,,,\n"),
    (["--mode=P", "--perf-template=%-cptime%,%-cpdtime%,%clocks%,%Gfreq%", FINE], 0,
     r"\n[\d.]+,[\d.]+,\d+,2\.4\n"),
    # What the timing model was not asked for is not known: no number.
    (["--perf-template=%ptime%;%-cycles%;%clocks%;%freq%;%eff%;%opeff%;%code%", FINE], 0,
     r"0:PASSED .*\nOutput template: .*\n;;;;;;[1-9]\d*\ntests:1 "),
    # A word of benchdnn's that is no direction.
    (["--dir=BWD_DW", FINE], 1, r"0:INVALID_ARGUMENTS \(prop=\d+ is not"),
    # Whose result it was compared with.
    (["--perf-template=%ref%", FINE], 0, r"0:PASSED .*\nOutput .*\n(library|own)\n"),
    (["--mode=R", "--perf-template=%ref%", FINE], 0, r"0:EXECUTED .*\nOutput .*\nnone\n"),
    (["--mode=R", "--perf-template=%ipf%;%spf%", FINE], 0,
     r"0:EXECUTED .*\nOutput template: .*\n\d+\.\d+;\d\.?\d*\ntests:1 "),
    (["--mode=I", "--perf-template=%name%;%chash%;%instr%", FINE + 'n"t"'], 0,
     r"0:INITIALIZED .*\nOutput template: .*\nt;[0-9a-f]{16};0\ntests:1 "),
    (["--attr-post-ops=dw:k3s1p1", FINE], 1, r"UNIMPLEMENTED \(.*dw:k3s1p1"),
    (["--attr-post-ops=select:f32:2", FINE], 1, r"UNIMPLEMENTED \(.*select:f32"),
    # Devices that are not there.
    # Without a value options go back to their defaults; benchdnn's limits stand
    # for what is beyond them.
    (["--mode=L", "--mode=", "--engine=cpu", "--engine=", FINE], 0, r"0:PASSED .*REPRO: mb1_"),
    (["--mode=P", "--perf-template=%name%", "--perf-template=", FINE], 0, r"\nperf,sim,"),
    (["--max-ms-per-prb=1e3", "--max-ms-per-prb=70000", "--max-ms-per-prb=-1.5",
      "--fix-times-per-prb=-1", "--repeats-per-prb=-2", "--start=-3", FINE], 0,
     r"0:PASSED .*\ntests:1 "),
    # Results that saturate prove no more than zeros; values of src lie around its zero point.
    (["--dt=u8:s8:s8", "--attr-post-ops=linear:1000", "mb1ic16ih8oc16kh3ph1"], 0,
     r"0:MISTRUSTED \(nearly all expected values are zero or saturated\)"),
    (["--dt=u8:s8:u8", "--attr-zero-points=src:common:-50,src:common:135,src:host_scalar:200",
      "mb1ic16ih8oc16kh3ph1"], 0, r"0:MISTRUSTED .*\n1:PASSED .*\n2:PASSED .*\n"),
    (["--dt=s8:s8:s8", "--attr-zero-points=src:common:-100+wei:common:60",
      "mb1ic16ih8oc16kh3ph1"], 0, r"0:PASSED .*\n"),
    # Sums with zero points are s32.
    (["--dt=u8:s8:f32", "--attr-zero-points=src:common:2147483647", FINE], 77,
     r"SKIPPED \(with these zero points sums of 27 terms are beyond s32"),
    (["--dt=u8:s8:f32", "--attr-zero-points=dst:common:-2147483648", FINE], 0, r"0:PASSED"),
    # 0.1 is none of f16, and 300 none of s8.
    (["--dt=u8:s8:f32", "--hash", "--attr-scales=src:host_scalar:0.1:f16,src:host_scalar:"
      "0.0999755859375", "--attr-zero-points=dst:host_scalar:300:s8,dst:host_scalar:127", FINE], 0,
     r"0:PASSED .* (hash:\w+) .*\n1:PASSED .* \1 .*\n2:PASSED .* \1 .*\n3:PASSED .* \1 "),
    (["--dir=FWD_I", "--attr-post-ops=linear:-3+sqrt+relu", FINE], 0, r"0:PASSED"),
    (["--engine=ze", FINE], 77, r"0:SKIPPED \(.+\) __REPRO: --engine=ze"),
    (["--engine=ocl", FINE], 77, r"tests:1 passed:0 skipped:1"),
    (["--engine=ze:3", FINE], 77, r"0:SKIPPED \(.+\) __REPRO: --engine=ze:3"),
    (["--engine=sim:1", FINE], 77, r"SKIPPED \(engine sim: no device 1"),
    (["--hash", FINE], 0, r"PASSED \(\d+ ms\) hash:[0-9a-f]{16} __REPRO"),
    (["--hash", "--mode=R", FINE], 0, r"EXECUTED .* hash:[0-9a-f]{16} "),
    (["--engine=ze", FINE, "--engine=sim", FINE], 0,
     r"tests:2 passed:1 skipped:1"),
    # The closing line and the modes.
    ([FINE], 0, r"0:PASSED \(\d+ ms\) __REPRO: mb1_ic3.*\n"
     r"tests:1 passed:1 skipped:0 mistrusted:0 unimplemented:0 "
     r"invalid_arguments:0 failed:0 listed:0\n\Z"),
    (["--mode=L", FINE], 0, r"0:LISTED __REPRO: --mode=L mb1.*\n.*listed:1"),
    (["--mode=I", FINE], 0, r"0:INITIALIZED .*\n.*passed:1"),
    (["--mode=R", FINE], 0, r"0:EXECUTED .*\n.*passed:1"),
    (["--mode=P", "--perf-template=%name%;%ops%", FINE + 'n"me"'], 0,
     r"\nme;4056\n"),  # 2 * 4 * 3 * 13^2: 13 of 15 taps hit a row of 5
    (["--mode=P", FINE], 0, r"\nperf,sim,"),
    (["--mode=P", "--perf-template=csv", FINE], 0, r"\nsim,xehpg,"),
    # benchdnn's state machine.
    (["--mode=L", "--dir=FWD_D,FWD_B", "--mb=1,2,3", FINE], 0, r"listed:6"),
    (["--mode=L", "--dir=FWD_D", "--reset", FINE], 0, r"LISTED __REPRO: --mo"),
    (["--mode=L", "--reset", "--dir=FWD_D", FINE, "--reset", FINE], 0,
     r"--dir=FWD_D mb1.*\n1:LISTED __REPRO: --mode=L mb1"),
    (["--mode=L", "--mb=7", FINE], 0, r"mb7_ic3"),
    (["--mode=L", "--match=mb7", "--mb=7,8", FINE], 0, r"listed:1"),
    # Patterns see benchdnn's text of a problem, and the one that is printed.
    (["--mode=L", "--match=.*[^k][^d][0-9]kh3[^0-9].*", "mb2ic3id5oc4kd3pd1", FINE, "ic3ih5oc4kh1"],
     0, r"0:LISTED.* mb1_ic3ih5.*\ntests:1 "),
    (["--mode=L", "--match=^--dir=FWD_D ic3id5oc4od5kd3sd2pd3n.x.$", "--dir=FWD_D,FWD_I",
      'mb2ic3id5od5oc4kd3sd2n"x"', 'mb1ic3id5od5oc4kd3sd2n"x"'], 0, r"tests:1 .*listed:1"),
    (["--mode=L", "--match=^g1mb1ic4ih5iw6oc4oh3ow6kh3kw1ph0pw0dh0dw1$",
      "g1mb1ic4ih5iw6oc4kh3kw1dw1", "mb1ic4ih5iw6oc4kh3kw1dw1"], 0, r"tests:1 .*listed:1"),
    (["--mode=L", "--match=^ic4iw5oc4ow5kw3pw1$", "ic4iw5oc4kw3pw1"], 0, r"listed:1"),
    (["--mode=L", "--match=_kh3kw3_", FINE], 0, r"listed:1"),
    (["--mode=L", "ic3ih5oc4kh3"], 0, r"mb2_ic3"),
    (["--conv", "--mode=L", FINE], 0, r"listed:1"),
    (["--mode=L", "--attr-post-ops=,relu", FINE], 0,
     r"L mb1.*\n.*--attr-post-ops=relu mb1"),
    (["--help"], 0, r"usage: xkbench"),
    (["--help"], 0, r"pvc-xt-b1,\s+pvc-xt-c0"),  # the list of devices, to its end
    # benchdnn's words for what is not there: said, and nothing runs.
    (["--engine=cpu", FINE], 1,
     r"UNIMPLEMENTED \(engine=cpu.*\) __REPRO: --engine=cpu mb"),
    # Steps of three along a K that lies in blocks of eight, and of four.
    (["--dir=BWD_D", "--stag=axb", "--dtag=axb", "--wtag=BAx8a16b,BAx4a16b",
      "mb1ic16iw10oc15ow12kw3pw2"], 0, r"passed:2 "),
    # A launch for each class is too many; one with an index of residues is not,
    # with dilation of any divisor, and where what is added has the pixels of dst.
    (["--dir=BWD_D", "mb1ic2ih12oc3oh2kh3sh9", "--dt=f16",
      "mb1ic3ih40oc5oh4kh12sh10ph1"], 0, r"passed:2 "),
    (["--dir=BWD_D", "mb1ic1ih14oc1oh2kh3sh9dh1", "mb1ic8ih60oc8kh9sh9ph4dh2",
      "--dt=f16", "mb1ic16ih60oc16kh2sh9ph4dh8", "mb1ic16ih60oc16kh3sh12ph4dh7",
      "g2mb1ic4ih60iw60oc4kh2kw2sh10sw12ph4pw4dh3dw3"], 0, r"passed:5 "),
    (["--deconv", "--dir=FWD_B", "--attr-post-ops=relu,add:f32:per_tensor+sum:0.5",
      "mb1ic8ih7oc8kh9sh9ph4dh1", "mb1ic4ih7oc5kh9sh9ph4dh2"], 0, r"passed:4 "),
    (["--deconv", "--dt=u8:s8:s32", "--attr-zero-points=src:common:3",
      "mb1ic8ih7oc8kh9sh9ph4dh1"], 1,
     r"UNIMPLEMENTED \(zero_point: sd=1 sh=9 sw=9: more classes than"),
    # Weights in an order that only the class with most taps reads: 190.
    (["--mode=P", "--dir=BWD_D", "--dt=f16", "--stag=axb", "--dtag=axb",
      "--time-bound=1", "--perf-template=%xipf%",
      "mb16ic128ih56oc128oh28kh3sh2ph1"], 0, r"xipf%\n[1-9]\.\d+\n"),
    # The other driver: sizes the other way round, short words of --alg its own.
    (["--deconv", "--mode=L", "mb1ic3ih5oc4kh3sh2"], 0,
     r"0:LISTED __REPRO: --mode=L --deconv mb1_ic3ih5iw5_oc4oh11ow11_"),
    (["--deconv", "--alg=deconvolution_direct", FINE, "--conv", "--alg=direct",
      FINE], 0, r"0:PASSED .*--deconv --alg=d.*\n1:PASSED .*: mb1.*\n"),
    (["--deconv", "--alg=wino", FINE], 1,
     r"UNIMPLEMENTED \(alg=deconvolution_wino"),
    (["--deconv", "--alg=auto,convolution_direct", FINE], 1,
     r"INVALID_ARGUMENTS \(alg=auto: --deconv does not have it"),
    (["--alg=deconvolution_direct", FINE], 1,
     r"INVALID_ARGUMENTS \(alg=decon.*: --conv does not have it"),
    (["--deconv", "--dt=u8s8", "--attr-zero-points=src:common:2+wei:common:3",
      FINE], 0, r"0:PASSED"),
    (["--deconv", "--dt=u8s8", "--attr-zero-points=src:common:2",
      "mb1ic4ih2oc4kh9sh9"], 1, r"UNIMPLEMENTED \(zero_point: sd=1 sh=9 sw=9"),
    (["--deconv", "--attr-zero-points=wei:common:2", FINE], 1,
     r"UNIMPLEMENTED \(zero_point\[wei\]"),
    (["--alg=wino", FINE], 1,
     r"UNIMPLEMENTED \(.*computed directly with --alg=auto.*--alg=wino"),
    (["--dt=f64", FINE], 1, r"UNIMPLEMENTED \(src_type=f64: xehpg has no.*; src_type is --dt\)"),
    (["--stag=foo", FINE], 1, r"INVALID_ARGUMENTS \(src_tag: .*; src_tag is --stag\)"),
    (["--dir=BWD_D", "--attr-post-ops=relu", FINE], 1,
     r"\(n_post_ops=1: .*; prop is --dir, n_post_ops is --attr-post-ops\)"),
    (["--attr-oscale=common:2", "--dir=BWD_D", FINE], 1,
     r"; prop is --dir, scale is --attr-oscale\)"),
    (["--dt=f8_e5m2,f8_e4m3", FINE], 0, r"passed:2 "),
    (["--mode=I", "--dt=f4_e2m1,u8:s4:f32", FINE], 0, r"passed:2 "),
    (["--dt=s4,u4", FINE], 1, r"unimplemented:2 "),
    (["--dt=u8:f16:f32,f16:s8:f16,bf16:f16:f32", FINE], 0, r"passed:3 "),
    (["--dir=FWD_I", "--bia-dt=f64", FINE], 1, r"UNIMPLEMENTED \(bia_type=f64"),
    (["--dir=FWD_I", "--bia-dt=f16,bf16,s8,u8,s32", FINE], 0, r"passed:5 "),
    (["--dir=FWD_D", "--bia-dt=f32", FINE], 0, r"0:PASSED"),
    (["--attr-scales=src:common:0.25+wei:per_oc:f16", FINE], 0, r"0:PASSED"),
    (["--attr-scales=dst:common:1e+5,src:host_scalar:3", FINE], 0, r"passed:2 "),
    (["--attr-scales=src:per_oc", FINE], 1, r"UNIMPLEMENTED \(scale\[src"),
    (["--attr-zero-points=dst:common:3,dst:per_oc,dst:host_scalar:-2", FINE], 0,
     r"passed:3 "),
    # Sums beyond 2^24: the reference adds them up exactly, too.
    (["--dir=FWD_D", "--dt=s8:u8:f32,s8:u8:s32",
      "--attr-zero-points=src:host_scalar:94446",
      "mb2ic2048oc64ih7oh7kh1", "mb1ic64oc64ih7oh7kh3ph1"], 0, r"passed:4 "),
    (["--dt=s8:u8:f32,s8:u8:s32", "--attr-zero-points=src:host_scalar:-94446",
      "mb2ic2048oc64ih7oh7kh1", "--deconv", "mb1ic64oc64ih7oh7kh3ph1"], 0,
     r"passed:4 "),
    (["--attr-zero-points=wei:common:2", FINE], 1,
     r"UNIMPLEMENTED \(zero_point\[wei\].source=device"),
    (["--dt=s8:s8:f32", "--attr-zero-points=src:common:11",
      "g2mb1ic2ih5oc2kh3"], 0, r"0:PASSED"), # one channel a group, no padding
    (["--attr-scales=src:common:2:s8", FINE], 1, r"INVALID.*type=s8 is not one"),
    (["--attr-scales=msrc1:common:2", FINE], 1, r"UNIMPLEMENTED \(.*no msrc1"),
    (["--attr-zero-points=src:host_scalar:1+dst:2:s8", FINE], 1,
     r"UNIMPLEMENTED \(zero_point\[src\].source=host"),
    (["--attr-scales=wei:per_oc", "g1mb1ic3ih5oc4kh3"], 0, r"0:PASSED"),
    (["--attr-scales=wei:7", "g1mb1ic3ih5oc4kh3"], 1,
     r"UNIMPLEMENTED \(scale\[wei\].source=device \(mask 7"),
    (["--attr-precomputed-reductions=src:per_tensor:s32:1x1", FINE], 1,
     r"UNIMPLEMENTED \(attr-precomputed"),
    (["--dt=f16", "--attr-rounding-mode=dst:stochastic:3", FINE], 0, r"0:PASSED"),
    (["--dt=u8s8", "--attr-rounding-mode=dst:stochastic:3", FINE], 1,
     r"UNIMPLEMENTED \(rounding\[dst\]=stochastic.*dst_type=u8"),
    (["--attr-dropout=0.5:7", FINE], 1, r"UNIMPLEMENTED \(dropout"),
    (["--attr-acc-mode=f16", FINE], 1, r"UNIMPLEMENTED \(acc_mode=f16"),
    (["--strides=75x25x10x1::", FINE], 1,
     r"INVALID_ARGUMENTS \(src_strides: .*share memory"),
    (["--strides=9000000000000000000x25x5x1::", "mb2ic3ih5oc4oh5kh1"], 1,
     r"stride 9000000000000000000 of dim a: .*2\^60"),
    (["--strides=::100x0x5x1", FINE], 1, r"INVALID_ARGUMENTS \(dst_strides"),
    (["--strides=75x0x5x1::", FINE], 77, r"SKIPPED \(.*share memory"),
    (["--strides=200x60x10x1:30x9x3x1:200x50x9x1", FINE], 0, r"0:PASSED"),
    (["--strides=75x1x15x3::100x25x5x1", FINE], 0, r"0:PASSED"),
    (["--strides=75x1x15x3::", "--stag=axb", FINE], 1,
     r"INVALID_ARGUMENTS \(src_tag=axb: src_strides"),
    (["--execution-mode=graph", FINE], 1, r"UNIMPLEMENTED \(execution-mode=gr"),
    (["--buffer-prefix=x", FINE], 1, r"UNIMPLEMENTED \(buffer-prefix=x"),
    (["--mode=P", "--cold-cache=all", FINE], 1, r"UNIMPLEMENTED \(cold-cache"),
    (["--mode=P", "--num-streams=2", FINE], 1, r"UNIMPLEMENTED \(num-streams"),
    # Modes in either case; B runs twice; S once.
    (["--mode=l", FINE], 0, r"LISTED"),
    (["--mode=B", "--attr-post-ops=sum", FINE], 0, r"0:PASSED .*--mode=B"),
    (["--mode=S", FINE], 0, r"0:EXECUTED"),
    (["--mode=f", FINE], 0, r"\nperf,sim,"),
    (["--start=1", FINE, FINE], 0, r"0:SKIPPED .*\n1:PASSED"),
    (["--repeats-per-prb=3", FINE], 0, r"2:PASSED.*\ntests:3 passed:3"),
    # Layouts of 1D and of weights with groups.
    (["--stag=nwc", "--wtag=goiw", "--dtag=axb", "g1mb2ic16iw9oc16kw3"], 0,
     r"0:PASSED .*--dtag=axb g1mb2_ic16iw9_oc16ow7_kw3_"),
    (["--stag=nChw16c", "mb2ic16ih5oc16kh3"], 0, r"0:PASSED"),
    # Lists and names of any length.
    (["--mode=L", "--mb=" + ",".join(["1"] * 400), FINE], 0, r"listed:400"),
    (["--mode=L", FINE + "n" + "a" * 5000], 0, r"_n\"" + "a" * 5000 + '"'),
    (["--mode=L", FINE + "n"], 0, r"LISTED"),
    (["--attr-post-ops=" + "+".join(["relu"] * 90), FINE], 1,
     r"UNIMPLEMENTED \(attr-post-ops: more than"),
]

# Usage errors: exit code 2, nothing on stdout, what stderr must match.
XKBENCH_USAGE = [
    ([FINE, "--deconv"], r"deconv: stands behind the last problem"),
    ([FINE, "--conv"], r"--conv: stands behind the last problem"),
    ([], r"no problem"),
    (["--bogus", FINE], r"--bogus: unknown option"),
    (["-z", FINE], r"-z: unknown option"),
    (["--dir", FINE], r"--dir: needs"),
    (["--reset=1", FINE], r"--reset=1: takes no value"),
    # One name in all tools; benchdnn has no such option.
    (["--arch=xehpg", FINE], r"--arch=xehpg: unknown option"),
    (["--dir=SIDEWAYS", FINE], r"dir=SIDEWAYS"),
    (["--dt=f33", FINE], r"dt=f33"),
    (["--dt=f32:f32", FINE], r"dt=f32:f32"),
    (["--dt=f32:f32:f32:f32", FINE], r"dt=f32:f32:f32:f32"),
    (["--platform=vax", FINE], r"platform=vax"),
    (["--engine=vpu", FINE], r"engine=vpu"),
    (["--engine=zee", FINE], r"engine=zee"),
    (["--engine=ocl:123456", FINE], r"engine=ocl:123456"),
    (["--mode=Q", FINE], r"mode=Q: is none of C, R, I, L, P, F, B, S$"),
    (["--mb=-1", FINE], r"mb=-1"),
    (["--mb=two", FINE], r"mb=two"),
    (["--mb=99999999999999999999", FINE], r"mb=9999"),
    (["--attr-post-ops=dance", FINE], r"attr-post-ops=dance"),
    (["--attr-post-ops=relu:x", FINE], r"relu:x"),
    (["--attr-post-ops=relu:1e-50", FINE], r"relu:1e-50"),
    (["--attr-post-ops=sum:x", FINE], r"sum:x"),
    (["--attr-oscale=uncommon:2", FINE], r"attr-oscale=uncommon:2"),
    (["--attr-oscale=common:x", FINE], r"attr-oscale=common:x"),
    (["--dt=u8s9", FINE], r"dt=u8s9"),
    (["--match=\\(", FINE], r"match=\\\("),
    (["--perf-template=%bogus%", FINE], r"%bogus%"),
    (["--perf-template=%", FINE], r"lone %"),
    (["--time-only=x", FINE], r"time-only=x: not a whole number"),
    (["--time-bound=x", FINE], r"time-bound=x: not a whole number"),
    (["--time-bound=", FINE], r"time-bound=: not a whole number"),
    (["--time-bound=-1", FINE], r"time-bound=-1: not in 0\.\."),
    (["--stag=" + "a" * 40, FINE], r"stag=aaaa"),
    (["--wtag=" + "a" * 40, FINE], r"wtag=aaaa"),
    (["--dtag=" + "a" * 40, FINE], r"dtag=aaaa"),
    (["--bia-dt=f33", FINE], r"bia-dt=f33"),
    (["--alg=fft", FINE], r"alg=fft: is none of direct, wino, auto"),
    (["--strides=1x2", FINE], r"strides=1x2: want two colons"),
    (["--strides=1xa::", FINE], r"strides=1xa::"),
    (["--strides=1x2x3x4x5x6x7::", FINE], r"strides=1x2x3"),
    (["--attr-scales=src", FINE], r"attr-scales=src: .*no mask"),
    (["--attr-scales=who:common:2", FINE], r'"who" is none of src, wei, dst'),
    (["--attr-scales=src:commons:2", FINE], r'"commons" is no mask'),
    (["--attr-scales=src:common:-2", FINE], r'"-2" is no f32 of 0 or more'),
    (["--attr-scales=src:common:2:", FINE], r'"" is no data type'),
    (["--attr-scales=src:common:1e39", FINE], r'"1e39" is no f32 of 0 or more'),
    (["--attr-scales=src:common:1e-60", FINE], r'"1e-60" is no f32 of 0 or more'),
    (["--attr-scales=wei:per_oc+wei:common:2", FINE], r'"wei" is named twice'),
    (["--attr-zero-points=src0:common:2+src:common", FINE], r'"src" is named twice'),
    (["--attr-scales=wei:per_oc:f32:axb", FINE], r"are no two groups"),
    (["--attr-scales=wei:per_oc:2", FINE], r'"2" is no data type'),
    (["--attr-zero-points=src:common:1.5", FINE], r'"1.5" is no whole number'),
    (["--attr-fpmath=f33", FINE], r"attr-fpmath=f33: is none of strict, bf16"),
    (["--attr-fpmath=tf32:maybe", FINE], r'"maybe" is neither true nor false'),
    (["--attr-acc-mode=f64", FINE], r"attr-acc-mode=f64"),
    (["--attr-deterministic=maybe", FINE], r"attr-deterministic=maybe"),
    (["--attr-scratchpad=mine", FINE], r"attr-scratchpad=mine"),
    (["--attr-dropout=2", FINE], r'"2" is no probability'),
    (["--attr-rounding-mode=dst:up", FINE], r"attr-rounding-mode=up"),
    (["--attr-rounding-mode=dst:stochastic+dst:environment", FINE],
     r'"dst" is named twice'),
    (["--attr-rounding-mode=dst:stochastic:4294967296", FINE],
     r'"4294967296" is no seed of 32 bits'),
    (["--ctx-init=x", FINE], r"ctx-init=x"),
    (["--fast-ref=maybe", FINE], r"fast-ref=maybe"),
    (["--memory-kind=wood", FINE], r"memory-kind=wood: is none of usm"),
    (["--cold-cache=ice", FINE], r"cold-cache=ice"),
    (["--mode-modifier=Q", FINE], r"mode-modifier=Q"),
    (["--mode-modifier=M", FINE], r"mode-modifier=M: mode=C"),
    (["--start=x", FINE], r"start=x"),
    (["-vx", FINE], r"verbose=x"),
    (["--num-streams=0", FINE], r"num-streams=0: is no whole number from 1 on"),
    ([FINE, "--bogus", FINE], r"--bogus: unknown option"),
]

# What xk is asked, its exit code, and what stderr must match.
XK = [
    ([], 2, r"usage"),
    (["dance"], 2, r"dance: no such verb"),
    (["gen"], 2, r"no problem"),
    (["gen", "nonsense"], 1, r"nonsense"),
    (["gen", "--dir=UP", FINE], 2, r"dir=UP"),
    (["gen", FINE, FINE], 2, r"second problem"),
    (["gen", "-o"], 2, r"-o: needs FILE"),
    (["gen", "--platform=xehpc", FINE], 1, r"XK_EUNSUPPORTED.*xehpc"),
    (["gen", "-o", "/no/such/dir/x", FINE], 1, r"/no/such/dir/x"),
    (["dis"], 2, r"no file"),
    (["dis", "/no/such/file"], 1, r"/no/such/file"),
    (["gen", "--platform=vax", FINE], 2, r"platform=vax"),
    (["gen", "--wtag=" + "a" * 40, FINE], 2, r"wtag=aaaa"),
    (["gen", "-p", "vax", FINE], 2, r"platform=vax"),
    (["dis", "-p", "vax", "/dev/null"], 2, r"platform=vax"),
    (["run", "--platform=vax", "/dev/null", "k"], 2, r"platform=vax"),
    (["vgpu", "-p", "vax", "--", "true"], 2, r"platform=vax"),
    (["dis", "/dev/null"], 1, r"XK_E"),
]


def run(command, stdin=b"", cwd=None):
    """(exit code, stdout, stderr) as bytes."""
    done = subprocess.run(command, input=stdin, capture_output=True, cwd=cwd,
                          check=False)
    return done.returncode, done.stdout, done.stderr


def shown(args):
    """Arguments as a test's name."""
    return " ".join(args).replace("#", "")[:100] or "(no arguments)"


def judge(tap, name, got, code, where, pattern):
    """Checks the exit code and one of the outputs."""
    text = got[where].decode(errors="replace")
    complaint = ""
    if got[0] != code:
        complaint = f"exit {got[0]}, expected {code}\n"
    if not re.search(pattern, text):
        complaint += f"no match for {pattern}"
    if complaint:
        complaint += f"\n{text}{got[3 - where].decode(errors='replace')}"
    tap.line(complaint, name)


# Lines of a batch file, and what stdout must match.
BATCHES = [
    # A \\ at the end glues the next word, without a blank; alone, too.
    (["--mode=L --dt=f32, \\", "f16 " + FINE], 0, r"listed:2"),
    (["--mode=L --dt=f32,\\", "  f16", FINE], 0, r"--dt=f16 .*\n.*listed:2"),
    (["--mode=L mb1ic3ih5oc4\\", "kh3ph1"], 0, r"_kh3kw3_.*\n.*listed:1"),
    (["--mode=L mb1ic3ih5oc4 \\ kh3ph1"], 0, r"_kh3kw3_.*\n.*listed:1"),
    (["--mode=L " + FINE, FINE + " \\"], 1, r"INVALID_ARGUMENTS \(.*ends with a"),
    ([f"--mode=L {FINE} # text \\", FINE], 0, r"listed:2"),
    ([f"--mode=L {FINE}#x"], 1, r"INVALID_ARGUMENTS \(.*#x"),
    # A bad line is one invalid problem, and the next one follows.
    (["--mode=L", FINE, "--bogus " + FINE, FINE], 1,
     r"0:LISTED.*\n1:INVALID_ARGUMENTS \(.*:3: --bogus: unknown option\) "
     r"__REPRO: --bogus .*\n2:LISTED.*\ntests:3 .* invalid_arguments:1 "),
    (["--mode=L --dt=f33 " + FINE, FINE], 1, r"1:LISTED.*\ntests:2 "),
    (["--mode=L", "nonsense", FINE], 1, r"tests:2 .* invalid_arguments:1 "),
    (["--mode=L", "--batch=/no/such", FINE], 1,
     r"0:INVALID_ARGUMENTS \(.*:2: batch=/no/such.*\n1:LISTED.*\ntests:2 "),
    # An option that no problem follows is no mistake here.
    (["--mode=L " + FINE, "--dt=f16"], 0, r"listed:1"),
    # Words end at any white space.
    (["--mode=L\v--dt=f16\f" + FINE, "\v", FINE + "\f"], 0,
     r"0:LISTED.*--dt=f16 .*\n1:LISTED.*--dt=f16 .*\n.*listed:2"),
    # Options of a file that another one names stay in force.
    (["--mode=L", "--batch=beside.txt", FINE], 0, r"--dir=FWD_I.*\n.*listed:1"),
]


def batch_files(tap, xkbench, folder):
    """Comments, several words a line, nesting, endless nesting, a bad line."""
    (folder / "beside.txt").write_text("--dir=FWD_I\n")
    for k, (lines, code, pattern) in enumerate(BATCHES):
        name = folder / f"batch{k}.txt"
        name.write_text("\n".join(lines) + "\n")
        judge(tap, "batch: " + shown(lines),
              run([xkbench, f"--batch={name}"], cwd="/"), code, 1, pattern)
    (folder / "in.txt").write_text(f"# comment\n\n{FINE} # {FINE}\n")
    (folder / "out.txt").write_text(
        f"--mode=L --dir=FWD_D\n--batch={folder}/in.txt\n  {FINE}\n")
    (folder / "loop.txt").write_text(f"--batch={folder}/loop.txt\n")
    for name, code, pattern in [
            ("out.txt", 0, r"listed:2"),
            ("loop.txt", 1, r"nested deeper.*\n.*invalid_arguments:1 ")]:
        judge(tap, "--batch=" + name,
              run([xkbench, f"--batch={folder}/{name}"]), code, 1, pattern)
    if (Path(xkbench).parent / "../../shapes").is_dir():  # build/ in the tree
        judge(tap, "shape lists are found from anywhere",
              run([xkbench, "--mode=L", "--batch=shapes/resnet_50.txt"],
                  cwd="/"), 0, 1, r"listed:20")


def repro_can_be_pasted(tap, xkbench):
    """Each __REPRO line gives itself when it is run through a shell."""
    args = ["--mode=L", "--dir=FWD_D", "--dt=f32,u8:s8:s32", "--stag=axb",
            "--attr-post-ops=,sum:0.5+relu", "--attr-oscale=,common:2.5",
            "--schedule=;m=16 slots=1,1", "--mb=3", "ic3ih5oc4kh3n\"a:b*2\""]
    listed = run([xkbench] + args)[1].decode()
    for repro in re.findall(r"__REPRO: (.*)", listed):
        again = run(["sh", "-c", f"{xkbench} {repro}"])[1].decode()
        tap.line("" if f"__REPRO: {repro}\n" in again else again,
                 "can be pasted: " + repro)


def generate_and_disassemble(tap, xk, folder):
    """gen twice, through a file and through pipes; dis both ways."""
    zebin = folder / "k.zebin"
    judge(tap, "xk gen -o FILE", run([xk, "gen", "-o", str(zebin), FINE]), 0, 2,
          r"\A\Z")
    piped = run([xk, "gen", "-o", "-", FINE])[1]
    same = zebin.exists() and piped == zebin.read_bytes()
    tap.line("" if same and piped[:4] == b"\x7fELF" else "bytes differ",
             "xk gen -o - writes the same zebin")
    from_file = run([xk, "dis", str(zebin)])
    judge(tap, "xk dis FILE", from_file, 0, 1, r"mad")
    tap.line("" if run([xk, "dis", "-"], stdin=piped)[1] == from_file[1] else
             "differs", "xk dis - reads stdin")
    judge(tap, "xk dis of half a zebin fails",
          run([xk, "dis", "-"], stdin=piped[:len(piped) // 2]), 1, 2, r"XK_E")
    judge(tap, "xk gen --asm", run([xk, "gen", "--asm", FINE]), 0, 1, r"mad")
    judge(tap, "xk gen --info", run([xk, "gen", "--info", FINE]), 0, 1,
          r"tensor src: f32 (.*\n)+kernel .*\ngroups")


def long_directories(tap, xk, n_files):
    """XK_DUMP_DIR of any length is the directory, or is refused by its name."""
    for dots, refused in (120, False), (1800, False), (2100, True):
        with tempfile.TemporaryDirectory() as name:
            env = dict(os.environ, XK_DUMP="all",
                       XK_DUMP_DIR="./" * dots + "far")
            done = subprocess.run([xk, "gen", FINE], capture_output=True,
                                  text=True, cwd=name, env=env, check=False)
            found = [p for p in Path(name).glob("**/*") if p.is_file()]
            far = [p for p in found if Path(name, "far") in p.parents]
        good = far == found and done.returncode == refused and (
            not far and "XK_DUMP_DIR: longer than" in done.stderr if refused
            else len(far) == n_files and not done.stderr)
        tap.line("" if good else done.stderr + "\n".join(map(str, found)),
                 f"XK_DUMP_DIR of {2 * dots + 3} bytes is "
                 f"{'refused' if refused else 'taken as it is'}")


def long_chain(tap, xk):
    """The text of 32 functions in a row grows with their number, not as a power."""
    chain = "+".join(["gelu_erf"] * 32)
    with tempfile.TemporaryDirectory() as name:
        env = dict(os.environ, XK_DUMP="views,nest,ir", XK_DUMP_DIR=name)
        limits = ["sh", "-c", 'ulimit -f 32768; exec "$@"', "sh"]
        done = subprocess.run(
            limits + [xk, "gen", "--attr-post-ops=" + chain, FINE],
            capture_output=True, text=True, env=env, check=False)
        bytes_ = sum(p.stat().st_size for p in Path(name).glob("**/*.txt"))
    tap.line("" if done.returncode == 0 and 0 < bytes_ < 8 << 20 else
             f"exit code {done.returncode}, {bytes_} bytes: {done.stderr}",
             "a dump of 32 functions is less than 8 MiB")


# What the kernels see is not what the caller says: tensors that are copied, strides, other
# numbers of dims, a bias of another type than the direction's word gives it.
SAID_AGAIN = ("--dt=f8_e5m2:f8_e5m2:f32", "--dt=f32:f32:f8_e4m3", "--dt=s4:s4:s32",
              "--dt=f32:f32:f16 --attr-rounding-mode=dst:stochastic", "--strides=2048x1x256x32::",
              "--stag=bacd", "--dir=BWD_W --bia-dt=f16 --dt=f16", "--dir=FWD_D --bia-dt=f16",
              "--dir=BWD_W --attr-deterministic=true --mb=64",
              "--dt=f16 --attr-post-ops=add:f8_e5m2:per_oc", "--alg=deconvolution_direct")
PROBLEMS = "mb2ic16ih8oc16kh3ph1", "g1mb2ic16ih8oc16kh3ph1", "mb2ic16iw8oc16kw3pw1"


def said_again(tap, xk, folder):
    """What XK_VERBOSE's line says makes the same program."""
    env = dict(os.environ, XK_VERBOSE="1")
    for args in [row.split() + [PROBLEMS[0]] for row in SAID_AGAIN] + [[p] for p in PROBLEMS]:
        made = []
        for name in "once", "again":
            out = folder / name
            done = subprocess.run([xk, "gen", "-o", str(out)] + args, env=env, text=True,
                                  capture_output=True, check=False)
            line = done.stderr.splitlines()[0] if done.stderr else "silent"
            made.append(out.read_bytes() if done.returncode == 0 else done.stderr)
            args = [a if a != "--deconv" else "--alg=deconvolution_direct"
                    for a in line.split(" # ")[0].split()[1:]]
        tap.line("" if made[0] == made[1] and made[0][:4] == b"\x7fELF" else line,
                 f"XK_VERBOSE's line makes the same program: {line.split(' # ')[0][:200]}")


def dumps(tap, xkbench, xk, folder):
    """XK_DUMP writes one file a stage, XK_VERBOSE a line in problem syntax."""
    env = dict(os.environ, XK_DUMP="all", XK_DUMP_DIR=str(folder / "dump"),
               XK_VERBOSE="1")
    done = subprocess.run([xk, "gen", FINE], capture_output=True, text=True,
                          env=env, check=False)
    names = sorted(p.name for p in (folder / "dump").glob("*/*"))
    numbered = [n for n in names if re.match(r"0\d-[a-z]+\.", n)]
    tap.line("" if len(numbered) >= 7 and numbered == names else str(names),
             "XK_DUMP=all writes every stage, numbered")
    long_directories(tap, xk, len(names))
    long_chain(tap, xk)
    line = done.stderr.splitlines()[0] if done.stderr else "silent"
    again = run(["sh", "-c", line.replace("xkbench", xkbench + " --mode=L", 1)])
    tap.line("" if b"ic3ih5iw5_oc4" in again[1] and b"listed:1" in again[1]
             else line, "XK_VERBOSE's line can be fed back")
    done = subprocess.run([xk, "gen", "--alg=deconvolution_direct", FINE], text=True,
                          capture_output=True, check=False,
                          env=dict(os.environ, XK_VERBOSE="1"))
    tap.line("" if done.stderr.startswith("xkbench --deconv --pl") else
             done.stderr, "XK_VERBOSE's line of a deconvolution says so")
    attr = ["--attr-scales=src:common+wei:1:f16+dst:host_scalar",
            "--attr-zero-points=dst:common:0:s8", "--attr-oscale=common:0.5",
            "--attr-post-ops=sum:2+relu"]
    done = subprocess.run([xk, "gen"] + attr + [FINE], capture_output=True,
                          text=True, check=False,
                          env=dict(os.environ, XK_VERBOSE="1"))
    tap.line("" if f" {' '.join(attr)} " in done.stderr else done.stderr,
             "XK_VERBOSE's line has the scales and every post-op")
    said_again(tap, xk, folder)
    quiet = subprocess.run([xk, "gen", FINE], capture_output=True, text=True,
                           check=False)
    tap.line(quiet.stderr, "without XK_VERBOSE the library is silent")
    for variable in ("XK_VERIFY", "XK_VERBOSE"):
        done = subprocess.run([xk, "gen", FINE], capture_output=True, text=True, check=False,
                              env={**os.environ, variable: "banana"})
        good = done.returncode == 1 and (
            f"{variable}: 'banana' is neither 1 nor 0" in done.stderr)
        tap.line("" if good else f"{done.returncode}: {done.stderr}",
                 f"{variable}=banana is refused")


def main():
    xkbench, xk, source = map(os.path.abspath, sys.argv[1:4])
    os.chdir(source)
    for name in ("XK_DUMP", "XK_DUMP_DIR", "XK_VERBOSE", "XK_SCHEDULE",
                 "XK_PASSES"):
        os.environ.pop(name, None)
    tap = Tap()
    # The driver opens a library in a way that AddressSanitizer ends a process
    # for.
    sanitized = b"__asan_init" in Path(xkbench).read_bytes()
    for args, code, pattern in XKBENCH:
        if sanitized and re.search(r"--engine=(ze|ocl)", " ".join(args)):
            tap.skip(f"xkbench {shown(args)}",
                     "the driver does not run under AddressSanitizer")
            continue
        judge(tap, "xkbench " + shown(args), run([xkbench] + args), code, 1,
              pattern)
    for args, pattern in XKBENCH_USAGE:
        judge(tap, "xkbench " + shown(args), run([xkbench] + args), 2, 2,
              pattern)
    for args, code, pattern in XK:
        judge(tap, "xk " + shown(args), run([xk] + args), code, 2, pattern)
    repro_can_be_pasted(tap, xkbench)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        batch_files(tap, xkbench, folder)
        generate_and_disassemble(tap, xk, folder)
        dumps(tap, xkbench, xk, folder)
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
