/** `gateway init`: writes a config file with comments to start from. */
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { configPath } from '../boot/index.ts'
import { type Command, readArguments } from './command.ts'
import { exitCodes } from './terminal.ts'

const template = fileURLToPath(new URL('../../cli/templates/gateway.yaml', import.meta.url))

export const command: Command = {
  async run(words, terminal) {
    const [file] = readArguments(words, {}, 1).positionals
    const written = file ?? configPath({}, terminal.environment)
    const path = resolve(terminal.directory, written)
    try {
      await mkdir(dirname(path), { recursive: true })
      await writeFile(path, await readFile(template), { flag: 'wx' })
    } catch (error) {
      if (!(error instanceof Error && 'code' in error)) throw error
      const reason = error.code === 'EEXIST' ? 'the file already exists' : error.message
      terminal.err(`Cannot write ${written}: ${reason}.\n`)
      return exitCodes.failed
    }
    const option = written === configPath({}, {}) ? '' : ` --config ${written}`
    terminal.out(
      `Wrote ${written}.\n\nNext:\n  gateway check${option}   # validate it after each change\n  gateway start${option}   # start the gateway\n`,
    )
    return exitCodes.done
  },
}
