#!/bin/bash
# Installs blunux-ai, and the messenger bridges that you name, with pacman, and enables
# the assistant in your session; --uninstall removes it. Only pacman runs as root,
# and only if there is something to do.
set -u

case ${BLUNUX_AI_LANG:-${LC_ALL:-${LC_MESSAGES:-${LANG:-}}}} in
ko*) lang=ko ;;
zh*) lang=zh ;;
*) lang=en ;;
esac

# pick KO EN ZH sets $text to the text in the user's language.
pick() { case $lang in ko) text=$1 ;; zh) text=$3 ;; *) text=$2 ;; esac; }
# tell KO EN ZH [VALUE ...]: the texts are printf's formats.
# shellcheck disable=SC2059 # they are this script's own
tell() { pick "$1" "$2" "$3"; shift 3; printf -- "$text\n" "$@"; }
fail() { { printf 'install-ai-agent: '; tell "$@"; } >&2; exit 1; }
misused() { { printf 'install-ai-agent: '; tell "$@"; } >&2; exit 2; }

usage() {
	tell '사용법: install-ai-agent.sh [옵션]

blunux-ai를 pacman으로 설치하고, 이 사용자의 세션에서 기다리게 해요.
설치된 것은 그대로 둬요. 설정과 열쇠는 건드리지 않아요.

  --from DIR         DIR의 패키지 파일로 설치해요(네트워크 없이). 이 스크립트 옆에
                     패키지 파일이 있으면 저절로 그것을 써요.
  --bridge NAME      이 메신저 브리지도 설치해요: whatsapp, telegram, discord (여러 번 쓸 수 있어요)
  --uninstall        제거해요. 설정, 열쇠, 대화는 남겨요
  --purge            --uninstall에 더해 남는 것도 지워요. 터미널에서 물어봐요
  --dry-run          실행할 명령만 보여 줘요
  -h, --help         이 도움말

종료 코드: 0 됐음, 1 안 됐음, 2 잘못 썼음' \
		'Usage: install-ai-agent.sh [OPTION]...

Installs blunux-ai with pacman, and has the assistant wait in your session.
What is installed already is left as it is; settings and keys are not touched.

  --from DIR         install from the package files in DIR, without a network.
                     Package files beside this script are used by themselves.
  --bridge NAME      this bridge to a messenger too: whatsapp, telegram, discord
                     (may be repeated)
  --uninstall        remove it all; settings, keys and conversations stay
  --purge            --uninstall, and these too, after a question at a terminal
  --dry-run          only show the commands
  -h, --help         this help

Exit status: 0 done, 1 not done, 2 wrong usage' \
		'用法：install-ai-agent.sh [选项]

用 pacman 安装 blunux-ai，并让助手在您的会话中待命。
已安装的保持不变；设置和密钥不会被改动。

  --from DIR         用 DIR 中的软件包文件安装，无需网络。
                     与本脚本同目录的软件包文件会被自动使用。
  --bridge NAME      同时安装这个消息桥接程序：whatsapp、telegram、discord（可重复）
  --uninstall        卸载；保留设置、密钥和对话
  --purge            卸载并删除上述内容，会在终端询问
  --dry-run          只显示要执行的命令
  -h, --help         本帮助

退出状态：0 完成，1 未完成，2 用法错误'
}

here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd) || exit 1
action=install from='' bridges=() purge='' dry=''
while [ $# -gt 0 ]; do
	case $1 in
	--from | --bridge)
		[ $# -gt 1 ] || misused '%s 뒤에 값이 필요합니다.' '%s needs a value.' '%s 需要一个值。' "$1"
		set -- "$1=$2" "${@:3}"
		continue
		;;
	--from=*) from=${1#*=} ;;
	--bridge=whatsapp) bridges+=(blunux-wa-bridge) ;;
	--bridge=telegram) bridges+=(blunux-telegram-bridge) ;;
	--bridge=discord) bridges+=(blunux-discord-bridge) ;;
	--bridge=*) misused '모르는 브리지입니다: %s. 쓸 수 있는 것: whatsapp, telegram, discord' 'unknown bridge: %s; known are whatsapp, telegram, discord' '未知的桥接程序：%s；可用：whatsapp、telegram、discord' "${1#*=}" ;;
	--uninstall) action=uninstall ;;
	--purge) action=uninstall purge=1 ;;
	--dry-run) dry=1 ;;
	-h | --help) usage; exit 0 ;;
	*) misused '모르는 옵션입니다: %s. 도움말: install-ai-agent.sh --help' 'unknown option: %s; see install-ai-agent.sh --help' '未知选项：%s；请看 install-ai-agent.sh --help' "$1" ;;
	esac
	shift
done
wanted=(blunux-ai "${bridges[@]}")

[ "$(id -u)" != 0 ] || fail \
	'root로 실행하지 않습니다. 쓸 사람의 계정으로 실행하면 pacman에만 root 권한을 씁니다: install-ai-agent.sh' \
	'not as root. Run it as who will use the assistant; only pacman gets root'\''s rights: install-ai-agent.sh' \
	'请勿以 root 运行。请以使用者的账户运行，只有 pacman 会取得 root 权限：install-ai-agent.sh'
command -v pacman >/dev/null || fail \
	'pacman이 없습니다. Arch 계열에서만 됩니다. 다른 곳에서는 소스에서: make build man && sudo make install' \
	'there is no pacman; this is for Arch and its kin. Elsewhere, from the sources: make build man && sudo make install' \
	'没有 pacman；本脚本仅适用于 Arch 系。其他系统请用源码：make build man && sudo make install'

# run shows a command and runs it, unless --dry-run is set.
run() {
	printf '+'
	printf ' %q' "$@"
	printf '\n'
	[ -n "$dry" ] || "$@"
}

# packages ARGUMENT ...: runs pacman as root and explains a failure.
packages() {
	local way=() status=0
	if command -v sudo >/dev/null && { [ -t 0 ] || sudo -n -l pacman >/dev/null 2>&1; }; then
		way=(sudo)
	elif command -v pkexec >/dev/null; then
		way=(pkexec)
	elif command -v run0 >/dev/null; then
		way=(run0 --)
	elif command -v sudo >/dev/null; then
		fail '터미널이 아니라서 sudo가 비밀번호를 물을 수 없습니다. 터미널에서 실행합니다: sudo pacman %s' 'this is no terminal, where sudo could ask for the password. In one: sudo pacman %s' '这里不是终端，sudo 无法询问密码。请在终端执行：sudo pacman %s' "$(printf '%q ' "$@")"
	else
		fail 'sudo, pkexec, run0 가운데 아무것도 없습니다. root로 실행합니다: pacman %s' 'there is none of sudo, pkexec and run0. As root: pacman %s' 'sudo、pkexec、run0 都不存在。请以 root 执行：pacman %s' "$(printf '%q ' "$@")"
	fi
	run "${way[@]}" pacman "$@" || status=$?
	[ $status = 0 ] && return
	[ ! -e "$(pacman-conf DBPath 2>/dev/null || echo /var/lib/pacman/)db.lck" ] || fail \
		'다른 pacman이 일하고 있습니다. 끝난 뒤 다시 실행합니다. 돌고 있는 것: pgrep -a pacman' \
		'another pacman is at work; run this again when it has ended. To see it: pgrep -a pacman' \
		'另一个 pacman 正在运行；请在其结束后重试。查看：pgrep -a pacman'
	[ "$1" != -S ] || fail \
		'pacman이 설치하지 못했습니다(종료 코드 %s). 네트워크가 없으면 패키지 파일로: install-ai-agent.sh --from 폴더' \
		'pacman could not install (exit status %s). Without a network, from package files: install-ai-agent.sh --from DIR' \
		'pacman 安装失败（退出状态 %s）。没有网络时可用软件包文件：install-ai-agent.sh --from 目录' $status
	fail 'pacman이 실패했습니다(종료 코드 %s). 이유는 위에 있습니다. 다시: pacman %s' 'pacman failed (exit status %s); it says why above. Again: pacman %s' 'pacman 失败（退出状态 %s），原因见上。重试：pacman %s' $status "$(printf '%q ' "$@")"
}

unknown() {
	fail '저장소에 %s 패키지가 없습니다. 목록을 새로 받고 다시 실행합니다: sudo pacman -Syu' \
		'the repositories have no package %s. Renew their lists and run this again: sudo pacman -Syu' \
		'软件仓库中没有软件包 %s。请更新列表后重试：sudo pacman -Syu' "$1"
}

# newest NAME sets $file to the newest package file of that name in $from.
newest() {
	local f name version best=''
	file=''
	for f in "$from/$1"-[0-9]*.pkg.tar*; do
		case $f in *.sig) continue ;; esac
		[ -f "$f" ] || continue
		read -r name version < <(LC_ALL=C pacman -Qp -- "$f" 2>/dev/null) || continue
		[ "$name" = "$1" ] || continue
		if [ -z "$best" ] || [ "$(vercmp "$version" "$best")" -gt 0 ]; then best=$version file=$f; fi
	done
	found=$best
}

# version NAME prints the installed version, or fails.
version() { LC_ALL=C pacman -Q -- "$1" 2>/dev/null | cut -d' ' -f2 | grep .; }

gather_files() {
	local name have
	for name in "${wanted[@]}"; do
		newest "$name"
		have=$(version "$name") || have=''
		if [ -z "$file" ] && [ -n "$have" ] || { [ -n "$have" ] && [ "$(vercmp "$have" "$found")" -ge 0 ]; }; then
			there "$name" "$have"
		elif [ -n "$file" ]; then
			todo+=("$file")
		else
			fail '%s 폴더에 %s 패키지 파일이 없습니다. 저장소에서: sudo pacman -S %s' '%s has no package file of %s. From the repositories: sudo pacman -S %s' '目录 %s 中没有 %s 的软件包文件。从软件仓库安装：sudo pacman -S %s' "$from" "$name" "$name"
		fi
	done
}

gather_names() {
	local name have
	for name in "${wanted[@]}"; do
		if have=$(version "$name"); then
			there "$name" "$have"
		elif LC_ALL=C pacman -Si -- "$name" >/dev/null 2>&1; then
			todo+=("$name")
		else
			unknown "$name"
		fi
	done
}

there() { tell '%s %s: 이미 설치돼 있어요.' '%s %s is installed already.' '%s %s 已安装。' "$1" "$2"; }

session() { systemctl --user show-environment >/dev/null 2>&1; }

wait_for_questions() {
	if ! session && [ -z "$dry" ]; then
		tell '이 로그인에는 systemd 사용자 세션이 없어요. 데스크톱에 로그인한 뒤에: systemctl --user enable --now blunux-ai-agent.socket' \
			'this login has no systemd user session. After logging in to your desktop: systemctl --user enable --now blunux-ai-agent.socket' \
			'此登录没有 systemd 用户会话。登录桌面后执行：systemctl --user enable --now blunux-ai-agent.socket' >&2
		return
	fi
	run systemctl --user daemon-reload
	run systemctl --user enable --now blunux-ai-agent.socket || fail \
		'소켓을 켜지 못했습니다. 살펴보기: systemctl --user status blunux-ai-agent.socket' \
		'the socket could not be enabled. To see why: systemctl --user status blunux-ai-agent.socket' \
		'无法启用套接字。查看原因：systemctl --user status blunux-ai-agent.socket'
}

install_all() {
	local todo=() file found
	[ -n "$from" ] || ! compgen -G "$here/blunux-ai-[0-9]*.pkg.tar*" >/dev/null || from=$here
	if [ -n "$from" ]; then
		from=$(cd -- "$from" 2>/dev/null && pwd) || fail '폴더를 열 수 없습니다. 살펴보기: ls -ld 폴더' 'the directory of --from cannot be opened. To see why: ls -ld DIR' '无法打开 --from 的目录。查看：ls -ld 目录'
		gather_files
		[ ${#todo[@]} = 0 ] || packages -U --noconfirm -- "${todo[@]}"
	else
		gather_names
		[ ${#todo[@]} = 0 ] || packages -S --needed --noconfirm -- "${todo[@]}"
	fi
	wait_for_questions
	tell '됐어요. 물어보기: blunux-aictl ask "디스크 꽉 찼어?"  처음 설정: blunux-ai setup' \
		'Done. Ask: blunux-aictl ask "disk full?"  Set it up: blunux-ai setup' \
		'完成。提问：blunux-aictl ask "磁盘满了吗？"  设置：blunux-ai setup'
	case " ${wanted[*]} " in *' blunux-wa-bridge '*) version blunux-wa-bridge >/dev/null && printf '  WhatsApp: blunux-wa-bridge login\n' ;; esac
	case " ${wanted[*]} " in *' blunux-telegram-bridge '*) version blunux-telegram-bridge >/dev/null && printf '  Telegram: blunux-telegram-bridge login\n' ;; esac
	case " ${wanted[*]} " in *' blunux-discord-bridge '*) version blunux-discord-bridge >/dev/null && printf '  Discord: blunux-discord-bridge login\n' ;; esac
	return 0
}

config=${XDG_CONFIG_HOME:-$HOME/.config}
own=${BLUNUX_AI_HOME:-$config/blunux-ai}
places() { # the user's own files that exist, one a line
	local p
	for p in "$own" "${XDG_CACHE_HOME:-$HOME/.cache}/blunux-ai" "$config"/systemd/user/blunux-ai-agent.{timer,path}.d; do
		[ ! -d "$p" ] || printf '%s\n' "$p"
	done
}

# If BLUNUX_AI_HOME contains more than the program's directory, it is kept.
too_much() {
	local p
	p=$(cd -- "$1" && pwd -P) || return 0
	case $(cd -- "$HOME" && pwd -P)/ in "${p%/}"/*) return 0 ;; esac
	[ ! -O "$p" ]
}

uninstall_all() {
	local unit name todo=() mine p answer
	if [ -n "$purge" ] && [ -z "$dry" ] && ! [ -t 0 ]; then
		misused '--purge는 터미널에서 묻습니다. 터미널에서 다시 실행하거나 --uninstall만 씁니다.' '--purge asks at a terminal: run it in one, or use --uninstall alone.' '--purge 需要在终端询问：请在终端运行，或只用 --uninstall。'
	fi
	for name in blunux-wa-bridge blunux-telegram-bridge blunux-discord-bridge blunux-ai; do
		version "$name" >/dev/null && todo+=("$name")
	done
	if session || [ -n "$dry" ]; then
		for unit in blunux-wa-bridge.service blunux-telegram-bridge.service blunux-discord-bridge.service blunux-ai-agent.{timer,path,socket} blunux-ai-bridges.socket blunux-ai-agent.service; do
			if [ -n "$(systemctl --user list-unit-files --no-legend "$unit" 2>/dev/null)" ]; then run systemctl --user disable --now "$unit"; fi
		done
	fi
	if [ ${#todo[@]} = 0 ]; then
		tell '설치돼 있지 않아요.' 'it is not installed.' '未安装。'
	else
		packages -R --noconfirm -- "${todo[@]}"
		[ -n "$dry" ] || ! session || systemctl --user daemon-reload
	fi
	mapfile -t mine < <(places)
	[ ${#mine[@]} -gt 0 ] || return 0
	if [ -z "$purge" ]; then
		tell '설정, 열쇠, 대화는 그대로 있어요:' 'Settings, keys and conversations are still here:' '设置、密钥和对话仍保留在：'
		printf '  %s\n' "${mine[@]}"
		return 0
	fi
	for p in "${mine[@]}"; do
		! too_much "$p" || fail '%s에는 다른 것도 있거나 이 사용자의 것이 아니어서 지우지 않습니다. 살펴보기: ls -la %q' '%s holds more than this program'\''s files or is not yours, and stays. To see: ls -la %q' '%s 含有其他内容或不属于您，予以保留。查看：ls -la %q' "$p" "$p"
	done
	tell '아래를 지우면 되돌릴 수 없어요: 설정, 열쇠, 대화, 기억, 메신저 로그인.' 'This deletes for good: settings, keys, conversations, memory, logins to messengers.' '以下内容将被永久删除：设置、密钥、对话、记忆、消息应用的登录。'
	printf '  %s\n' "${mine[@]}"
	if [ -z "$dry" ]; then
		pick '지울까요? [예/아니요(N)] ' 'Delete it? [yes/No] ' '删除吗？[是/否(N)] '
		read -r -p "$text" answer || answer=''
		case $answer in 예 | 네 | yes | 是) ;; *) tell '지우지 않았어요.' 'Not deleted.' '未删除任何内容。'; return 0 ;; esac
	fi
	run rm -rf -- "${mine[@]}"
}

"${action}_all"
