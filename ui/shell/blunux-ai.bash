# blunux-ai in bash. Ctrl-G writes a command for the words on the line; why explains the last failure. Nothing of it
# runs before it is used. BLUNUX_AI_KEY is the letter of the key, g by default.
[[ $- == *i* ]] || return 0

__blunux_ai_status=0 __blunux_ai_told=

# Keeps the status of the last command; it runs first, so that it sees it. The status of why itself does not count.
__blunux_ai_prompt() {
  local status=$? pipeline="${PIPESTATUS[*]}"
  [[ -n $__blunux_ai_told ]] || __blunux_ai_status=$pipeline
  __blunux_ai_told=
  [[ -z $BLUNUX_AI_TYPESCRIPT ]] || printf '\e]133;D;%s\a\e]133;A\a' "$status"
  return "$status"
}
PROMPT_COMMAND="__blunux_ai_prompt${PROMPT_COMMAND:+; $PROMPT_COMMAND}"

# In a recorded shell, forgets the output of the command before.
__blunux_ai_before() {
  [[ $(HISTTIMEFORMAT='' history 1) =~ ^\ *[0-9]+\ +why($|\ ) ]] || : >"$BLUNUX_AI_TYPESCRIPT"
  printf '\e]133;C\a'
}
[[ -z $BLUNUX_AI_TYPESCRIPT ]] || PS0+='$(__blunux_ai_before)'

__blunux_ai_line() {
  local line
  [[ -n $READLINE_LINE ]] || return 0
  line=$(blunux-aictl command -- "$READLINE_LINE" </dev/null) || return 0
  READLINE_LINE=$line READLINE_POINT=${#line}
}
bind -x "\"\\C-${BLUNUX_AI_KEY:-g}\": __blunux_ai_line" 2>/dev/null

# The last command in the history that is not why.
__blunux_ai_last() {
  local number text
  HISTTIMEFORMAT='' history 20 | tac | while read -r number text; do
    [[ $text == why || $text == "why "* || -z $text ]] || { printf '%s' "$text"; break; }
  done
}

if ! declare -F why >/dev/null && ! type -P why >/dev/null; then
  why() {
    local command="${*:-$(__blunux_ai_last)}"
    __blunux_ai_told=yes
    blunux-aictl why --status "$__blunux_ai_status" -- "$command"
  }
fi

if ! declare -F command_not_found_handle >/dev/null; then
  command_not_found_handle() {
    printf 'bash: %s: command not found\n' "$1" >&2
    blunux-aictl why --brief --status 127 -- "$1" </dev/null >&2 2>/dev/null
    return 127
  }
fi
