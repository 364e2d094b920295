/** `gateway check`: validates a config file as a start would, and says what would load or what is wrong. */

import { type LoadedSettings, loadSettings } from '../boot/load-settings.ts'
import { describeFaults } from '../boot/open-gateway.ts'
import { resolveOptions } from '../boot/options.ts'
import { type Command, configOption, readArguments } from './command.ts'
import { findPackages } from './packages.ts'
import { table } from './table.ts'
import { exitCodes } from './terminal.ts'

export const command: Command = {
  async run(words, terminal) {
    const { values } = readArguments(words, configOption)
    const { environment } = terminal
    const found = await findPackages(values, terminal)
    const loaded = await loadSettings({ path: found.path, environment, registry: found.registry })
    const options = resolveOptions({}, environment, loaded.settings?.file ?? null)
    const faults = new Set([
      ...found.faults,
      ...describeFaults(found.written, loaded.faults),
      ...options.faults.map(({ source, message }) => `${source} ${message}`),
    ])
    for (const warning of describeFaults(found.written, loaded.warnings))
      terminal.err(`warning: ${warning}\n`)
    for (const fault of faults) terminal.err(`${fault}\n`)
    const { settings } = loaded
    if (settings !== null && faults.size === 0) {
      terminal.out(`${found.written} is valid.\n\n${describe(settings)}`)
    }
    await settings?.upstream.close()
    settings?.outbound.close()
    return settings !== null && faults.size === 0 ? exitCodes.done : exitCodes.failed
  },
}

function describe({ file, context }: LoadedSettings): string {
  const rows: [what: string, names: readonly string[]][] = [
    ['credentials', Object.keys(file.providers)],
    ['configs', Object.keys(file.configs)],
    ['guardrails', Object.keys(file.guardrails)],
    ['keys', file.api_keys.map(({ name }) => name)],
    ['providers', [...context.registry.providers.keys()]],
    ['checks', [...context.registry.checks.keys()]],
    ['packages', context.registry.packages.map(({ name }) => name)],
  ]
  return table(
    ['WHAT', 'COUNT', 'NAMES'],
    rows.map(([what, names]) => [what, String(names.length), names.join(' ')]),
  )
}
