# SPDX-License-Identifier: Apache-2.0
# Completion of cladec for bash.
_cladec()
{
    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}
    COMPREPLY=()
    case $before in
    -t)
        COMPREPLY=($(compgen -W 'sm_70 sm_80 sm_90 gfx90a gfx942 gfx1030 gfx1100 spirv64
            spirv64:rmw intel-tgllp intel-dg2' -- "$word"))
        # A colon would split the word; leave out what is typed already.
        [ "$(type -t __ltrim_colon_completions)" != function ] || __ltrim_colon_completions "$word"
        return
        ;;
    -d)
        COMPREPLY=($(compgen -W 'cpu gpu' -- "$word"))
        return
        ;;
    -D | -O | -j)
        return
        ;;
    -I)
        COMPREPLY=($(compgen -d -- "$word"))
        return
        ;;
    esac
    case $word in
    -*)
        COMPREPLY=($(compgen -W '-d -t -D -I -O -o -M -MF --add --list --check --quick --read -j --dump --extract --resources
            --help --version' -- "$word"))
        ;;
    *)
        local IFS=$'\n'
        COMPREPLY=($(compgen -f -X '!*.cl' -- "$word") $(compgen -f -X '!*.clar' -- "$word")
            $(compgen -d -- "$word"))
        ;;
    esac
}
complete -o filenames -F _cladec cladec
