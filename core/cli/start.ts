/** `gateway start`: runs the gateway until a signal ends it. */
import { readFlags, runStart } from '../boot/index.ts'
import { type Command, configOption, readArguments } from './command.ts'
import { UsageError } from './terminal.ts'

export const command: Command = {
  async run(words) {
    const { values } = readArguments(words, {
      ...configOption,
      host: { type: 'string' },
      port: { type: 'string' },
      workers: { type: 'string' },
    })
    const { flags, faults } = readFlags(values)
    if (faults.length > 0) {
      throw new UsageError(faults.map(({ source, message }) => `${source} ${message}.`).join('\n'))
    }
    return runStart(flags)
  },
}
