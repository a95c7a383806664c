#!/bin/sh
# A C compiler as a subject: npx fuzz run --subject-command 'sh cc-subject.sh {c} {exe}'
# $1 is a file of C11, $2 the executable to make. Options that change what C means, such as -ffast-math, are found out.
exec "${CC:-cc}" -w -std=c11 -O2 -ffp-contract=off -fno-math-errno "$1" -o "$2" -lm
