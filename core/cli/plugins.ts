/** `gateway plugins`: what was discovered, one line for each provider, guardrail plugin, store and service. */
import type { PackageInfo, Registry } from '../registry.ts'
import { type Command, configOption, readArguments } from './command.ts'
import { findPackages } from './packages.ts'
import { table } from './table.ts'
import { exitCodes } from './terminal.ts'

export const command: Command = {
  async run(words, terminal) {
    const { values } = readArguments(words, configOption)
    const { registry, faults } = await findPackages(values, terminal)
    const rows = registry.packages.flatMap((info) =>
      partsOf(info, registry).map(([name, brings]) => [info.kind, name, info.version, info.name, brings]),
    )
    terminal.out(table(['KIND', 'NAME', 'VERSION', 'PACKAGE', 'BRINGS'], rows))
    for (const fault of faults) terminal.err(`${fault}\n`)
    return faults.length === 0 ? exitCodes.done : exitCodes.failed
  },
}

/** The parts of a package by name, and what each brings: endpoints, checks, URL schemes, routes. */
function partsOf(
  { kind, name, provides }: PackageInfo,
  { providers }: Registry,
): [name: string, brings: string][] {
  if (kind === 'provider') {
    return provides.map((provider) => [
      provider,
      Object.keys(providers.get(provider)?.endpoints ?? {}).join(' '),
    ])
  }
  if (kind !== 'guardrail') return [[name, provides.join(' ')]]
  const plugins = new Map<string, string[]>()
  for (const id of provides) {
    const plugin = id.slice(0, id.lastIndexOf('.'))
    plugins.set(plugin, [...(plugins.get(plugin) ?? []), id.slice(plugin.length + 1)])
  }
  return [...plugins].map(([plugin, checks]) => [plugin, checks.join(' ')])
}
