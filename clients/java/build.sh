#!/bin/sh
# Builds the client with the JDK on PATH, 17 or later: build.sh [FOLDER]
#
# Makes three jars in FOLDER (build/ beside this file when omitted): classes, sources, Javadoc.
# --jar-only makes the first alone.
set -eu

only=false
if [ "${1:-}" = --jar-only ]; then only=true; shift; fi
home=$(CDPATH='' cd -P -- "$(dirname -- "$0")" && pwd -P)
out=${1:-$home/build}
name=intaglio-client-0.1.0
# Without a date of its own, the same sources would make another jar each time.
date=2026-01-01T00:00:00Z

mkdir -p -- "$out"
work=$(mktemp -d)
trap 'rm -rf -- "$work"' EXIT
# Small tasks: the quickest compiler of the JDK and one thread for its collector suffice.
# shellcheck disable=SC2086 # They are words.
jvm='-J-XX:+UseSerialGC -J-XX:TieredStopAtLevel=1'

find "$home/src" -name '*.java' >"$work/files"
javac $jvm -encoding UTF-8 -Xlint:all -Werror --release 17 -d "$work/classes" "@$work/files"
jar $jvm --create --file "$out/$name.jar" --date "$date" -C "$work/classes" .
[ "$only" = true ] && exit 0
jar $jvm --create --file "$out/$name-sources.jar" --date "$date" -C "$home/src" .
javadoc $jvm -encoding UTF-8 -charset UTF-8 -quiet -Xdoclint:all -Werror --release 17 -notimestamp \
  -d "$work/doc" "@$work/files"
jar $jvm --create --file "$out/$name-javadoc.jar" --date "$date" -C "$work/doc" .
