/** `gateway check`: validates a config file like a start, and shows its declarations or its errors. */

import { toFileFaults } from '@gateway/config-file'
import type { ConfigNode } from '@gateway/flow'
import {
  builtInNotice,
  certificateFiles,
  describeFaults,
  describeStoreFaults,
  type LoadedSettings,
  loadSettings,
  resolveOptions,
} from '../boot/index.ts'
import { readCertificate } from '../server/index.ts'
import { type Command, configOption, readArguments } from './command.ts'
import { findPackages } from './packages.ts'
import { table } from './table.ts'
import { exitCodes } from './terminal.ts'

export const command: Command = {
  async run(words, terminal) {
    const { values } = readArguments(words, {
      ...configOption,
      verbose: { type: 'boolean' },
      json: { type: 'boolean' },
    })
    const { environment } = terminal
    const found = await findPackages(values, terminal)
    const loaded = await loadSettings({ path: found.path, environment, registry: found.registry })
    const options = resolveOptions({}, environment, loaded.settings?.file ?? null)
    const file = loaded.settings?.file ?? null
    const files = file === null ? null : certificateFiles(found.path, file)
    const certificate = files === null ? null : await readCertificate(files)
    const faults = new Set([
      ...found.faults,
      ...describeFaults(found.written, [
        ...loaded.faults,
        ...toFileFaults(certificate?.faults ?? [], loaded.locate),
      ]),
      ...options.faults.map(({ source, message }) => `${source} ${message}`),
      ...describeStoreFaults(found.written, loaded, { options: options.options, registry: found.registry }),
    ])
    const warnings = describeFaults(found.written, loaded.warnings)
    const { settings } = loaded
    const isValid = settings !== null && faults.size === 0
    if (values.json === true) {
      const declared = isValid ? Object.fromEntries(names(settings)) : null
      const report = { valid: isValid, file: found.written, errors: [...faults], warnings, declared }
      terminal.out(`${JSON.stringify(report, null, 2)}\n`)
    } else {
      for (const warning of warnings) terminal.err(`warning: ${warning}\n`)
      for (const fault of faults) terminal.err(`${fault}\n`)
      if (found.isBuiltIn) terminal.err(`${builtInNotice(found.written)}\n`)
      if (isValid)
        terminal.out(
          `${found.isBuiltIn ? 'The built-in configuration' : found.written} is valid.\n\n${describe(settings, values.verbose === true)}`,
        )
    }
    await settings?.upstream.close()
    settings?.outbound.close()
    return isValid ? exitCodes.done : exitCodes.failed
  },
}

function describe(settings: LoadedSettings, isVerbose: boolean): string {
  const rows = names(settings).filter(([what]) => isVerbose || !discovered.has(what))
  const counts = table(
    ['WHAT', 'COUNT', 'NAMES'],
    rows.map(([what, list]) => [what, String(list.length), list.join(' ')]),
  )
  const routes = [...settings.configs].flatMap(([name, node]) => routeRows(name, node))
  const routing = table(['CONFIG', 'TARGET', 'GUARDRAILS'], routes)
  return routes.length === 0 ? counts : `${counts}\n${routing}`
}

/** These come from packages and are not declared in the file. */
const discovered = new Set(['providers', 'checks', 'packages'])

function names({ file, context }: LoadedSettings): [what: string, names: readonly string[]][] {
  return [
    ['credentials', Object.keys(file.providers)],
    ['configs', Object.keys(file.configs)],
    ['guardrails', Object.keys(file.guardrails)],
    ['keys', file.api_keys.map(({ name }) => name)],
    ['providers', [...context.registry.providers.keys()]],
    ['checks', [...context.registry.checks.keys()]],
    ['packages', context.registry.packages.map(({ name }) => name)],
  ]
}

/** A config's tree, a row for each node. */
function routeRows(
  name: string,
  node: ConfigNode,
  { depth = 0, parent = null }: { depth?: number; parent?: ConfigNode | null } = {},
): string[][] {
  const indent = '  '.repeat(depth)
  const weight = parent?.strategy?.mode === 'loadbalance' ? ` (weight ${node.weight})` : ''
  const model = typeof node.overrideParams?.model === 'string' ? ` ${node.overrideParams.model}` : ''
  const target =
    node.strategy !== null
      ? node.strategy.mode
      : node.target === null
        ? 'the provider that the request names'
        : `${node.target.slug === null ? node.target.adapter.name : `@${node.target.slug}`}${model}`
  const guardrails = [...new Set([...node.before, ...node.after].map(({ id }) => id))].join(' ')
  const own = [depth === 0 ? name : '', `${indent}${target}${weight}`, guardrails]
  return [own, ...node.targets.flatMap((child) => routeRows(name, child, { depth: depth + 1, parent: node }))]
}
