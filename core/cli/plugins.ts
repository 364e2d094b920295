/** `gateway plugins`: lists discovered packages, one line for each provider, guardrail plugin, store and service. */

import type { Check } from '@gateway/contract'
import { unknownName } from '@gateway/domain'
import type { PackageInfo, Registry } from '@gateway/flow'
import { parametersOf } from './check-parameters.ts'
import { type Command, configOption, readArguments } from './command.ts'
import { findPackages } from './packages.ts'
import { table } from './table.ts'
import { exitCodes } from './terminal.ts'

export const command: Command = {
  async run(words, terminal) {
    const options = { ...configOption, checks: { type: 'boolean' } } as const
    const { values, positionals } = readArguments(words, options, 1)
    const { registry, faults } = await findPackages(values, terminal)
    const list = values.checks === true ? describeChecks : listPackages
    const listed = list(registry, positionals[0] ?? null)
    if (listed === null) terminal.err(`${unknown(registry, positionals[0] ?? '', values.checks === true)}\n`)
    else terminal.out(listed)
    for (const fault of faults) terminal.err(`${fault}\n`)
    return listed !== null && faults.length === 0 ? exitCodes.done : exitCodes.failed
  },
}

function unknown(registry: Registry, written: string, isCheck: boolean): string {
  const parts = registry.packages.flatMap((info) => partsOf(info, registry).map(([part]) => part))
  const ids = [...registry.checks].flatMap(([id, { plugin }]) => [id, plugin.name])
  const known = isCheck ? ids : [...parts, ...registry.packages.map(({ name }) => name)]
  return unknownName({ what: isCheck ? 'check or plugin' : 'package', written, known: new Set(known) })
}

/** All checks, those of one plugin, or one check by id, with parameters: type, default, description. */
function describeChecks({ checks }: Registry, name: string | null): string | null {
  const wanted = [...checks].filter(
    ([id, { plugin }]) => name === null || id === name || plugin.name === name,
  )
  if (name !== null && wanted.length === 0) return null
  return wanted
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([id, { check }]) => describeCheck(id, check))
    .join('\n')
}

function describeCheck(id: string, check: Check): string {
  const denies = check.deny === true ? ', denies by default' : ''
  const parameters = parametersOf(check.parameters).flatMap(
    ({ name, type, isRequired, fallback, description }) => {
      const must = isRequired ? ', required' : fallback === '' ? '' : `, default ${fallback}`
      return [`  ${name}: ${type}${must}`, ...(description === '' ? [] : [`      ${description}`])]
    },
  )
  const kind = `(${check.kind}, ${check.phases.join(' and ')}${denies})`
  return `${[`${id} ${kind}`, `  ${check.description}`, ...parameters].join('\n')}\n`
}

function listPackages(registry: Registry, name: string | null): string | null {
  const rows = registry.packages.flatMap((info) =>
    partsOf(info, registry)
      .filter(([part]) => name === null || name === part || name === info.name)
      .map(([part, brings]) => [info.kind, part, info.version, info.name, brings]),
  )
  if (name !== null && rows.length === 0) return null
  return table(['KIND', 'NAME', 'VERSION', 'PACKAGE', 'BRINGS'], rows)
}

/** The parts of a package by name, with their endpoints, checks, URL schemes and routes. */
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
