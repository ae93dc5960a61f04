# blunux-ai in zsh. Ctrl-G writes a command for the words on the line; why explains the last failure. Nothing of it
# runs before it is used. BLUNUX_AI_KEY is the letter of the key, g by default.
[[ -o interactive ]] || return 0

typeset -g __blunux_ai_status=0 __blunux_ai_command= __blunux_ai_typed=

__blunux_ai_preexec() {
  __blunux_ai_typed=$1
  [[ -n $BLUNUX_AI_TYPESCRIPT ]] || return 0
  [[ $1 == why || $1 == why\ * ]] || : >|"$BLUNUX_AI_TYPESCRIPT"
  printf '\e]133;C\a'
}

# Keeps the last command and its status; it runs first, so that it sees it. why itself does not count.
__blunux_ai_precmd() {
  local last=$? pipeline="$pipestatus"
  if [[ -n $__blunux_ai_typed && $__blunux_ai_typed != why && $__blunux_ai_typed != why\ * ]]; then
    __blunux_ai_command=$__blunux_ai_typed __blunux_ai_status=$pipeline
  fi
  __blunux_ai_typed=
  [[ -z $BLUNUX_AI_TYPESCRIPT ]] || printf '\e]133;D;%s\a\e]133;A\a' "$last"
}
preexec_functions+=(__blunux_ai_preexec)
precmd_functions=(__blunux_ai_precmd $precmd_functions)

__blunux_ai_line() {
  local line
  [[ -n $BUFFER ]] || return 0
  zle -I
  line=$(blunux-aictl command -- "$BUFFER" </dev/null) && BUFFER=$line CURSOR=${#line}
  zle reset-prompt
}
zle -N __blunux_ai_line
bindkey "^${(U)BLUNUX_AI_KEY:-G}" __blunux_ai_line

if ! whence why >/dev/null; then
  why() {
    local command="${*:-$__blunux_ai_command}"
    blunux-aictl why --status "$__blunux_ai_status" -- "$command"
  }
fi

if ! whence -f command_not_found_handler >/dev/null; then
  command_not_found_handler() {
    print -ru2 -- "zsh: command not found: $1"
    blunux-aictl why --brief --status 127 -- "$1" </dev/null >&2 2>/dev/null
    return 127
  }
fi
