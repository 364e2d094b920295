/** `gateway docs`: writes the pages generated from the discovered packages. */
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import type { Registry } from '@gateway/flow'
import { checksPage } from './checks-page.ts'
import { type Command, configOption, readArguments } from './command.ts'
import { configurationPage } from './configuration-page.ts'
import { findPackages } from './packages.ts'
import { providersPage } from './providers-page.ts'
import { exitCodes } from './terminal.ts'

/** The pages by path. */
const pages: Readonly<Record<string, (registry: Registry) => string>> = {
  'providers/README.md': ({ providers }) => providersPage([...providers.values()]),
  'plugins/README.md': checksPage,
  'docs/configuration.md': configurationPage,
}

export const command: Command = {
  async run(words, terminal) {
    const { values } = readArguments(words, { ...configOption, out: { type: 'string' } })
    const folder = resolve(terminal.directory, values.out ?? '.')
    const { registry, faults } = await findPackages(values, terminal)
    for (const fault of faults) terminal.err(`${fault}\n`)
    if (faults.length > 0) return exitCodes.failed
    for (const [path, write] of Object.entries(pages)) {
      await mkdir(dirname(join(folder, path)), { recursive: true })
      await writeFile(join(folder, path), write(registry))
      terminal.out(`${join(folder, path)}\n`)
    }
    return exitCodes.done
  },
}
