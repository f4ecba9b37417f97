"""What `skillbag completion` prints. Each script gives the line up to the cursor to `skillbag`, see `completing`."""

from __future__ import annotations

from collections.abc import Mapping

_BASH = """\
# bash completion of skillbag
_skillbag_complete() {
    local line
    COMPREPLY=()
    while IFS= read -r line; do
        case "$line" in
            *$'\\t:file') compopt -o default 2>/dev/null ;;
            *$'\\t:dir') compopt -o dirnames 2>/dev/null ;;
            *) COMPREPLY+=("${line%%$'\\t'*}") ;;
        esac
    done < <(_SKILLBAG_COMPLETE=bash _SKILLBAG_LINE="${COMP_LINE:0:COMP_POINT}" _SKILLBAG_WORD="$2" "$1" 2>/dev/null)
}
complete -o nosort -F _skillbag_complete skillbag 2>/dev/null || complete -F _skillbag_complete skillbag
"""

_ZSH = """\
#compdef skillbag
_skillbag() {
    local line
    local -a lines plain described
    lines=("${(@f)$(_SKILLBAG_COMPLETE=zsh _SKILLBAG_LINE="${(j: :)words[1,CURRENT]}" ${words[1]} 2>/dev/null)}")
    for line in $lines; do
        case $line in
            *$'\\t:file') _files ;;
            *$'\\t:dir') _files -/ ;;
            *$'\\t') plain+=("${line%$'\\t'}") ;;
            *$'\\t'*) described+=("${${line%%$'\\t'*}//:/\\\\:}:${line#*$'\\t'}") ;;
        esac
    done
    (( $#described )) && _describe -V skillbag described
    (( $#plain )) && compadd -V skillbag -a plain
}
if [[ $zsh_eval_context[-1] == loadautofunc ]]; then
    _skillbag "$@"
else
    compdef _skillbag skillbag
fi
"""

_FISH = """\
# fish completion of skillbag
function __skillbag_complete
    set -lx _SKILLBAG_COMPLETE fish
    set -lx _SKILLBAG_LINE (commandline -cp)
    for line in (command skillbag 2>/dev/null)
        switch $line
            case '*'\\t':file'
                __fish_complete_path (commandline -ct)
            case '*'\\t':dir'
                __fish_complete_directories (commandline -ct)
            case '*'
                echo $line
        end
    end
end
complete -c skillbag -f -a '(__skillbag_complete)'
"""

_POWERSHELL = """\
# PowerShell completion of skillbag
Register-ArgumentCompleter -Native -CommandName skillbag -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)
    $line = $commandAst.Extent.Text
    $length = $cursorPosition - $commandAst.Extent.StartOffset
    if ($length -lt $line.Length) { $line = $line.Substring(0, $length) } else { $line = $line.PadRight($length) }
    $env:_SKILLBAG_COMPLETE = 'powershell'
    $env:_SKILLBAG_LINE = $line
    try {
        & $commandAst.CommandElements[0].Extent.Text 2>$null | ForEach-Object {
            $value, $text = $_ -split "`t", 2
            if ($text -notin ':file', ':dir') {
                if (-not $text) { $text = $value }
                [System.Management.Automation.CompletionResult]::new($value, $value, 'ParameterValue', $text)
            }
        }
    } finally {
        Remove-Item Env:_SKILLBAG_COMPLETE, Env:_SKILLBAG_LINE
    }
}
"""

SCRIPTS: Mapping[str, str] = {"bash": _BASH, "zsh": _ZSH, "fish": _FISH, "powershell": _POWERSHELL}
"""By the name of the shell."""
