#!/bin/sh
wc -w "$@"
