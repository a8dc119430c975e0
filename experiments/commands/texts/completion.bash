# Completion of alidade in bash: source <(alidade completion bash)
_alidade() {
  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} path='' words='' files='' i
  for ((i = 1; i < COMP_CWORD; ++i)); do
    case "$path ${COMP_WORDS[i]}" in
      %paths%) path="$path ${COMP_WORDS[i]}" ;;
    esac
  done
  COMPREPLY=()
  case "$path $previous" in
%values%  esac
  if [[ -z $words && -z $files ]]; then
    if [[ $current == -* ]]; then
      case "$path" in
%options%      esac
    elif [[ $path == ' list' && $previous != list ]]; then
      case "$previous" in
%lists%      esac
    else
      case "$path" in
%arguments%        *) files=1 ;;
      esac
    fi
  fi
  if [[ -n $words ]]; then
    COMPREPLY=($(compgen -W "$words" -- "$current"))
  elif [[ -n $files ]]; then
    compopt -o filenames 2>/dev/null
    COMPREPLY=($(compgen -f -- "$current"))
  fi
}
complete -F _alidade alidade
