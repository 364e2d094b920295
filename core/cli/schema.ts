/** `gateway schema`: writes the JSON Schemas that editors use for completion. */
import { mkdir, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { publishSchemas } from '@gateway/config-file'
import { type Command, configOption, readArguments } from './command.ts'
import { findPackages } from './packages.ts'
import { exitCodes } from './terminal.ts'

export const command: Command = {
  async run(words, terminal) {
    const { values } = readArguments(words, { ...configOption, out: { type: 'string' } })
    const folder = resolve(terminal.directory, values.out ?? 'config')
    const { registry, faults } = await findPackages(values, terminal)
    for (const fault of faults) terminal.err(`${fault}\n`)
    if (faults.length > 0) return exitCodes.failed
    await mkdir(folder, { recursive: true })
    for (const { name, text } of publishSchemas(registry.keyless)) {
      await writeFile(join(folder, name), text)
      terminal.out(`${join(folder, name)}\n`)
    }
    return exitCodes.done
  },
}
