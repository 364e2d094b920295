/** `gateway completion`: prints a script that completes commands and their options in a shell. */
import { type Command, readArguments, unknownWord } from './command.ts'
import { exitCodes } from './terminal.ts'
import { commandHelp } from './usage.ts'

export const command: Command = {
  async run(words, terminal) {
    const [shell] = readArguments(words, {}, 1).positionals
    if (shell === undefined || !Object.hasOwn(scripts, shell)) {
      throw unknownWord('shell', shell, {
        known: Object.keys(scripts),
        missing: 'Specify a shell: bash, zsh or fish.',
      })
    }
    terminal.out((scripts[shell] as () => string)())
    return exitCodes.done
  },
}

interface Completion {
  name: string
  summary: string
  /** Completions: options and names of actions. */
  words: readonly string[]
}

const completions = (): Completion[] => [
  ...Object.entries(commandHelp).map(([name, { summary, options }]) => ({
    name,
    summary,
    words: options.flatMap(([option]) => /^(?:--)?[a-z][a-z-]*(?= |$)/.exec(option)?.[0] ?? []),
  })),
  { name: 'help', summary: 'Show help', words: Object.keys(commandHelp) },
]

const scripts: Readonly<Record<string, () => string>> = {
  bash: () => `_gateway() {
  local current="\${COMP_WORDS[COMP_CWORD]}" words=""
  case "\${COMP_WORDS[1]}" in
${completions()
  .map(({ name, words }) => `    ${name}) words="${words.join(' ')}" ;;\n`)
  .join('')}  esac
  [ "$COMP_CWORD" -eq 1 ] && words="${completions()
    .map(({ name }) => name)
    .join(' ')}"
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _gateway gateway
`,
  zsh: () => `autoload -Uz compinit && compinit
_gateway() {
  local -a commands
  commands=(
${completions()
  .map(({ name, summary }) => `    ${singleQuoted(`${name}:${summary}`)}\n`)
  .join('')}  )
  if (( CURRENT == 2 )); then _describe command commands; return; fi
  case "\${words[2]}" in
${completions()
  .map(({ name, words }) => `    ${name}) compadd -- ${words.join(' ')} ;;\n`)
  .join('')}  esac
  _files
}
compdef _gateway gateway
`,
  fish: () =>
    completions()
      .flatMap(({ name, summary, words }) => [
        `complete -c gateway -n __fish_use_subcommand -a ${name} -d ${singleQuoted(summary)}\n`,
        ...words.map(
          (word) =>
            `complete -c gateway -n "__fish_seen_subcommand_from ${name}" ${word.startsWith('--') ? `-l ${word.slice(2)}` : `-a ${word}`}\n`,
        ),
      ])
      .join(''),
}

/** Quoted for a shell. */
const singleQuoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`
