#!/bin/bash
# Installs a unit file for programs below a prefix other than /usr.
#
#   install-unit.sh FILE PREFIX DIRECTORY
set -eu
unit=$1 prefix=$2 to=$3
# quoted PATH: a path in the syntax of unit files: in quotes if necessary, with
# % doubled. systemd cannot start programs with quotes in their names.
quoted() {
	case $1 in
	*[\"\'\\]*) echo "cannot install below $prefix: systemd starts no program with a quote or a backslash in its path" >&2; return 1 ;;
	*[!A-Za-z0-9_./+-]*) printf '"%s"' "${1//%/%%}" ;;
	*) printf %s "$1" ;;
	esac
}
program=$(sed -n 's#^ExecStart=/usr\(/\(bin\|lib/blunux-ai\)/blunux-[a-z-]*\).*#\1#p' "$unit")
install -d "$to"
text=$(cat "$unit")
if [ "$prefix" != /usr ] && [ -n "$program" ]; then
	path=$(quoted "$prefix$program")
	text=${text//"/usr$program"/"$path"}
	case $text in
	# A directive that hides the user's files would also hide the program.
	*TemporaryFileSystem=*) text=${text/"
ExecPaths="/"
BindReadOnlyPaths=$path
ExecPaths="} ;;
	esac
fi
printf '%s\n' "$text" >"$to/${unit##*/}"
chmod 644 "$to/${unit##*/}"
