# SPDX-License-Identifier: Apache-2.0
# Completion of clade-mpi for bash. Commands and options come from what clade-mpi itself says.
_clade_mpi()
{
    local clade=${COMP_WORDS[0]} word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}
    local command=${COMP_WORDS[1]}
    COMPREPLY=()
    if [ "$COMP_CWORD" = 1 ] || { [ "$COMP_CWORD" = 2 ] && [ "$command" = help ]; }; then
        local more='help --help --version'
        [ "$COMP_CWORD" = 1 ] || more=
        COMPREPLY=($(compgen -W "$("$clade" --help 2>/dev/null |
            sed -n 's/^  \([a-z][a-z-]*\) .*/\1/p') $more" -- "$word"))
        return
    fi
    case $before in
    --device)
        COMPREPLY=($(compgen -W 'cpu gpu' -- "$word"))
        return
        ;;
    esac
    case $word in
    -*)
        COMPREPLY=($(compgen -W "$("$clade" help "$command" 2>/dev/null |
            sed -n 's/^  \(--[a-z-]*\) .*/\1/p') --help" -- "$word"))
        return
        ;;
    esac
    local IFS=$'\n'
    COMPREPLY=($(compgen -f -- "$word"))
}
complete -o filenames -F _clade_mpi clade-mpi
