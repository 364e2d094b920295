/** The page of all guardrail checks, from their schemas, and of the capabilities of service packages, in Markdown. */
import type { Check, GuardrailPlugin, ServicePlugin } from '@gateway/contract'
import type { Registry } from '@gateway/flow'
import { parametersOf } from './check-parameters.ts'

/** Writes the page; deterministic for the same packages. */
export function checksPage({ checks, services }: Registry): string {
  const plugins = new Map<string, GuardrailPlugin>()
  for (const { plugin } of checks.values()) plugins.set(plugin.name, plugin)
  const sorted = [...plugins.values()].sort((left, right) => compare(left, right))
  const sections = [
    opening,
    overview(sorted),
    ...sorted.map(section),
    ...(services.length === 0 ? [] : [reachOf(services)]),
  ]
  return `${sections.join('\n\n')}\n`
}

const opening = `# Checks

Written by \`gateway docs\` from the declarations of the packages; do not edit it by hand.

A hook or a guardrail uses a check as \`{"id": "plugin.check", "parameters": {…}}\`, or in the short form
\`"check": {…}\` for checks of \`default\`. Credentials come from \`plugins.settings.PLUGIN\` in the config file. An unknown
check, an unknown parameter and a missing credential are refused when a config is read. A check that throws or times out
counts as passed unless \`fail_closed\` is set on its hook or under \`plugins\`; either way it is reported in
\`hook_results\`, the log and the metrics. \`gateway try CHECK --text TEXT --parameters JSON\` runs one from the shell.`

/** \`default\` first. */
function compare(left: GuardrailPlugin, right: GuardrailPlugin): number {
  const rank = ({ name }: GuardrailPlugin) => (name === 'default' ? '' : name)
  return rank(left) < rank(right) ? -1 : 1
}

function overview(plugins: readonly GuardrailPlugin[]): string {
  const rows = plugins.flatMap((plugin) =>
    plugin.checks.map((check) => {
      const id = `${plugin.name}.${check.id}`
      return `| [\`${id}\`](#${anchorOf(id)}) | ${cell(check.title)} | ${check.kind} | ${check.phases.join(', ')} |`
    }),
  )
  return ['| check | what | kind | phases |', '|---|---|---|---|', ...rows].join('\n')
}

function section(plugin: GuardrailPlugin): string {
  const checks = plugin.checks.map((check) => describe(`${plugin.name}.${check.id}`, check))
  return [`## ${escapeHtml(plugin.title)}`, settingsOf(plugin), ...checks]
    .filter((block) => block !== '')
    .join('\n\n')
}

/** The `needs` of each service package. */
function reachOf(services: readonly ServicePlugin[]): string {
  const rows = [...services]
    .sort((left, right) => (left.name < right.name ? -1 : 1))
    .map(({ name, title, needs }) => {
      const named = [...new Set(needs)].sort().map((need) => `\`${need}\``)
      return `| \`${name}\` | ${cell(title)} | ${named.join(', ')} |`
    })
  return [
    '## Service packages',
    '',
    'Each can reach the capabilities in its row, and no others: see [Plugins](../docs/plugins.md#a-service).',
    '',
    '| package | what | capabilities |',
    '|---|---|---|',
    ...rows,
  ].join('\n')
}

function settingsOf({ name, settings }: GuardrailPlugin): string {
  if (settings === undefined) return ''
  const rows = parametersOf(settings).map(row)
  return [`\`plugins.settings.${name}\`:`, '', ...tableHead, ...rows].join('\n')
}

function describe(id: string, check: Check): string {
  const rows = parametersOf(check.parameters).map(row)
  const blocks = [
    `<a id="${anchorOf(id)}"></a>`,
    `### ${id}`,
    escapeHtml(check.description),
    check.deny === true ? 'Denies when its hook does not say whether it should.' : '',
    rows.length === 0 ? 'No parameters.' : [...tableHead, ...rows].join('\n'),
  ]
  return blocks.filter((block) => block !== '').join('\n\n')
}

const tableHead = ['| name | type | default | meaning |', '|---|---|---|---|']

const row = ({ name, type, isRequired, fallback, description }: ReturnType<typeof parametersOf>[number]) =>
  `| \`${name}\` | ${cell(type)} | ${isRequired ? 'required' : cell(fallback)} | ${cell(description)} |`

const cell = (text: string) => escapeHtml(text.replaceAll('|', '\\|').replaceAll('\n', ' '))

/** A description may contain `<name>`, which is not an HTML element. */
const escapeHtml = (text: string) => text.replaceAll('<', '&lt;')

const anchorOf = (id: string) => id.replace('.', '-')
