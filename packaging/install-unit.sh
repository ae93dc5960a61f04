#!/bin/bash
# Installs a unit file, or a service file of D-Bus, for programs below a prefix
# other than /usr.
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
# bus_quoted PATH: a path in a service file of D-Bus, which is split as a shell
# does it: in quotes if necessary.
bus_quoted() {
	case $1 in
	*[\"\'\\\`\$]*) echo "cannot install below $prefix: D-Bus starts no program with a quote, a backslash or a dollar sign in its path" >&2; return 1 ;;
	*[!A-Za-z0-9_./+%-]*) printf '"%s"' "$1" ;;
	*) printf %s "$1" ;;
	esac
}
program=$(sed -n 's#^Exec\(Start\)\?=/usr\(/\(bin\|lib/blunux-ai\)/blunux-[a-z-]*\).*#\2#p' "$unit")
install -d "$to"
text=$(cat "$unit")
if [ "$prefix" != /usr ] && [ -n "$program" ]; then
	case $(head -n1 "$unit") in
	"[D-BUS Service]") path=$(bus_quoted "$prefix$program") ;;
	*) path=$(quoted "$prefix$program") ;;
	esac
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
