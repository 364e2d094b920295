/** The type of a subcommand, and the parser of its arguments. */
import { type ParseArgsConfig, parseArgs } from 'node:util'
import { nearestName, unknownName } from '@gateway/domain'
import { type Terminal, UsageError } from './terminal.ts'

export interface Command {
  /** Returns the exit code. Throws {@link UsageError}. */
  run(words: string[], terminal: Terminal): Promise<number>
}

type Options = NonNullable<ParseArgsConfig['options']>
type Values<Names extends Options> = {
  [Name in keyof Names]?: Names[Name] extends { type: 'boolean' } ? boolean : string
}

/** The option of all commands that use a config file. */
export const configOption = { config: { type: 'string' } } as const

/**
 * Reads a command's arguments.
 * @param most the maximum number of positional arguments
 */
export function readArguments<const Names extends Options>(
  words: string[],
  options: Names,
  most = 0,
): { values: Values<Names>; positionals: string[] } {
  const { values, positionals } = parse(words, options)
  if (positionals.length > most) throw new UsageError(`Unexpected argument "${positionals[most]}".`)
  for (const [name, value] of Object.entries(values)) {
    if (value === '') throw new UsageError(`--${name} needs a value.`)
  }
  return { values: values as Values<Names>, positionals }
}

function parse(words: string[], options: Options) {
  try {
    return parseArgs({ args: words, options, allowPositionals: true, strict: true })
  } catch (error) {
    // parseArgs messages are long; the first sentence names the error.
    const message = error instanceof Error ? error.message.split('. ')[0] : 'Invalid arguments'
    throw new UsageError(`${message?.replace(/\.$/, '')}.${guess(message ?? '', options)}`)
  }
}

/**
 * The usage error for an argument that is not one of the known words; `missing` is the message when the argument is
 * absent.
 */
export function unknownWord(
  what: string,
  written: string | undefined,
  { known, missing }: { known: string[]; missing: string },
) {
  return new UsageError(written === undefined ? missing : unknownName({ what, written, known }))
}

/** The nearest known option for an unknown one. */
function guess(message: string, options: Options): string {
  const [, written = ''] = /^Unknown option '(-[^']*)'$/.exec(message) ?? []
  const names = Object.keys(options).map((name) => `--${name}`)
  const nearest = written === '' ? null : nearestName(written, names)
  return nearest === null ? '' : ` Did you mean "${nearest}"?`
}
