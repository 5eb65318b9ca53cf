"""The scripts by which bash, zsh and fish complete xtest: texts, and nothing else.

Each asks `xtest completion words -- WORDS` what may stand next; files, and what stands behind `--`,
are the shell's own to know. Source: docs/completion.md.
"""

from __future__ import annotations

from typing import Final

__all__ = ["BASH", "FISH", "ZSH"]

BASH: Final = r"""# Completion of xtest for bash. In ~/.bashrc: source <(xtest completion bash)

# bash takes words apart at = and : too. Here they are put together again, up to the cursor.
_xtest_words() {
    local line=${COMP_LINE:0:COMP_POINT} word index
    words=()
    for ((index = 0; index <= COMP_CWORD; index++)); do
        word=${COMP_WORDS[index]}
        [[ $index -eq $COMP_CWORD ]] && word=${line##+([[:space:]])}
        if [[ $index -gt 0 && $line != [[:space:]]* ]]; then
            words[-1]+=$word
        else
            words+=("$word")
            line=${line#"${line%%[![:space:]]*}"}
        fi
        line=${line#"${COMP_WORDS[index]}"}
    done
}

_xtest() {
    local -a words
    local cur kind text help at index IFS=$' \t\n'
    local extglob=$(shopt -p extglob)
    shopt -s extglob
    _xtest_words
    $extglob
    COMPREPLY=()

    for ((at = 1; at < COMP_CWORD; at++)); do
        [[ ${COMP_WORDS[at]} == -- ]] || continue
        # What stands behind -- is a command of its own; of compare, inputs.
        if [[ ${words[1]} == compare ]]; then
            compopt -o default
        elif declare -F _comp_command_offset >/dev/null; then
            _comp_command_offset $((at + 1))
        elif declare -F _command_offset >/dev/null; then
            _command_offset $((at + 1))
        elif ((COMP_CWORD == at + 1)) && [[ ${COMP_WORDS[COMP_CWORD]} != */* ]]; then
            mapfile -t COMPREPLY < <(compgen -c -- "${COMP_WORDS[COMP_CWORD]}")
        else
            compopt -o default
        fi
        return
    done

    # Without quotes and backslashes, as xtest would get them.
    for index in "${!words[@]}"; do
        words[index]=${words[index]//[\\\"\']/}
    done
    cur=${words[-1]}
    # Of a word that bash has taken apart, only what stands behind the last = or : is replaced.
    local kept=
    [[ $COMP_WORDBREAKS == *=* && $cur == *=* ]] && kept=${cur%"${cur##*=}"}
    while IFS=$'\t' read -r kind text help; do
        case $kind in
            plain)
                [[ $text == *[=/] ]] && compopt -o nospace
                text=${text#"$kept"}
                # printf quotes commas, too, which need it nowhere but in braces.
                [[ $text == *[^A-Za-z0-9_./,=@%+-]* ]] && printf -v text %q "$text"
                COMPREPLY+=("$text")
                ;;
            file | dir)
                compopt -o filenames
                local -a names
                mapfile -t names < <(compgen "-${kind:0:1}" -- "${cur#"$text"}")
                COMPREPLY+=("${names[@]}")
                ;;
        esac
    done < <("${1/#\~/$HOME}" completion words -- "${words[@]:1}" 2>/dev/null)
}

complete -F _xtest xtest
"""

ZSH: Final = r"""#compdef xtest
# Completion of xtest for zsh. In ~/.zshrc, after compinit: source <(xtest completion zsh)

_xtest() {
    local -a described joined response fields
    local line text at=${words[(i)--]} result=1

    if (( at < CURRENT )); then
        # What stands behind -- is a command of its own; of compare, inputs.
        if [[ ${words[2]} == compare ]]; then
            _files
            return
        fi
        shift $at words
        (( CURRENT -= at ))
        _normal
        return
    fi

    response=("${(@f)$("${(Q)words[1]/#\~/$HOME}" completion words -- \
        "${(@Q)words[2,CURRENT-1]}" "${(Q)PREFIX}" 2>/dev/null)}")
    for line in $response; do
        fields=("${(@ps:\t:)line}")
        text=$fields[2]
        case $fields[1] in
            plain)
                if [[ $text == *= ]]; then
                    joined+=("$text")
                else
                    described+=("${text//:/\\:}${fields[3]:+:$fields[3]}")
                fi
                ;;
            file | dir)
                local ahead=$IPREFIX shown=$PREFIX
                [[ -n $text ]] && compset -P "${(b)text}"
                if [[ $fields[1] == dir ]]; then
                    _path_files -/ && result=0
                else
                    _files && result=0
                fi
                PREFIX=$shown IPREFIX=$ahead
                ;;
        esac
    done
    (( $#described )) && _describe -t values value described && result=0
    (( $#joined )) && compadd -S '' -a joined && result=0
    return result
}

if [[ ${zsh_eval_context[-1]} == loadautofunc ]]; then
    _xtest "$@"
else
    compdef _xtest xtest
fi
"""

FISH: Final = r"""# Completion of xtest for fish. In ~/.config/fish/config.fish:
#     xtest completion fish | source

function __xtest_complete
    set -l words (commandline -opc)
    set -l cur (commandline -ct)
    set -l at (contains -i -- -- $words)

    if test -n "$at"
        # What stands behind -- is a command of its own; of compare, inputs.
        if test "$words[2]" = compare
            __fish_complete_path $cur
        else
            set -l rest
            test (count $words) -gt $at; and set rest (string escape -- $words[(math $at + 1)..])
            complete -C (string join ' ' -- $rest $cur)
        end
        return
    end

    for line in ($words[1] completion words -- $words[2..] $cur 2>/dev/null)
        set -l fields (string split \t -- $line)
        switch $fields[1]
            case plain
                printf '%s\t%s\n' $fields[2] $fields[3]
            case file dir
                set -l ahead $fields[2]
                set -l begin (math (string length -- "$ahead") + 1)
                set -l part (string sub -s $begin -- "$cur")
                for name in (__xtest_names $fields[1] "$part")
                    printf '%s%s\n' $ahead $name
                end
        end
    end
end

function __xtest_names
    if test $argv[1] = dir
        __fish_complete_directories $argv[2]
    else
        __fish_complete_path $argv[2]
    end
end

complete -c xtest -f -a '(__xtest_complete)'
"""
