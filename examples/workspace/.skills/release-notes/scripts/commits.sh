#!/bin/sh
# Print one line per commit since a tag: commits.sh TAG
set -eu

if [ $# -ne 1 ]; then
  echo "usage: commits.sh TAG" >&2
  exit 2
fi
git log --no-merges --format='%h %s' "$1"..HEAD
