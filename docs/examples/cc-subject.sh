#!/bin/sh
# A C compiler as a subject: npx fuzz run --subject-command 'sh cc-subject.sh {c} {exe}'
# $1 is a file of C11, $2 the output. Options that change the meaning of C, such as -ffast-math, are found as differences.
exec "${CC:-cc}" -w -std=c11 -O2 -ffp-contract=off -fno-math-errno "$1" -o "$2" -lm
