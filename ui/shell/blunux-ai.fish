# blunux-ai in fish. Ctrl-G writes a command for the words on the line; why explains the last failure. Nothing of it
# runs before it is used. BLUNUX_AI_KEY is the letter of the key, g by default.
status is-interactive; or exit 0

set -g __blunux_ai_status 0
set -g __blunux_ai_command ''

# Keeps the last command and its status. why itself does not count.
function __blunux_ai_after --on-event fish_postexec
    set -l pipeline $pipestatus
    if test -n "$argv[1]"; and not string match -qr '^why($| )' -- $argv[1]
        set -g __blunux_ai_status $pipeline
        set -g __blunux_ai_command $argv[1]
    end
    test -z "$BLUNUX_AI_TYPESCRIPT"; or printf '\e]133;D;%s\a\e]133;A\a' $pipeline[-1]
end

if test -n "$BLUNUX_AI_TYPESCRIPT"
    function __blunux_ai_before --on-event fish_preexec
        string match -qr '^why($| )' -- $argv[1]; or true >$BLUNUX_AI_TYPESCRIPT
        printf '\e]133;C\a'
    end
end

function __blunux_ai_line
    set -l words (commandline | string collect)
    test -n "$words"; or return 0
    set -l line (blunux-aictl command --fish -- $words </dev/null | string collect)
    if test -n "$line"
        commandline -r -- $line
    end
    commandline -f repaint
end
set -l key g
string match -qr '^[a-z]$' -- "$BLUNUX_AI_KEY"; and set key $BLUNUX_AI_KEY
eval bind \\c$key __blunux_ai_line

if not type -q why
    function why
        set -l command $__blunux_ai_command
        test (count $argv) -eq 0; or set command "$argv"
        blunux-aictl why --status "$__blunux_ai_status" -- $command
    end
end

if not functions -q fish_command_not_found; or functions fish_command_not_found | string match -q '*__fish_default_command_not_found_handler*'
    function fish_command_not_found
        echo "fish: Unknown command: $argv[1]" >&2
        blunux-aictl why --brief --status 127 -- $argv[1] </dev/null >&2 2>/dev/null
    end
end
