/** The page of all providers, in Markdown, from the adapters' own metadata. */

import { endpointIds, isObject, type JsonObject, type ProviderAdapter } from '@gateway/contract'
import { type TSchema, TypeGuard } from '@sinclair/typebox'
import { stringify } from 'yaml'

/** Writes the page; deterministic for the same adapters. */
export function providersPage(adapters: readonly ProviderAdapter[]): string {
  const sorted = [...adapters].sort((left, right) => (left.name < right.name ? -1 : 1))
  const sections = [opening, overview(sorted), ...sorted.map(section)]
  return `${sections.join('\n\n')}\n`
}

const opening = `# Providers

Written by \`gateway docs\` from what the adapters say of themselves; do not edit it by hand.

- \`provider\` in a config, in \`x-gateway-provider\` and in \`providers\` of the config file takes the name in the table.
- \`custom_host\` replaces the base URL, version segment included.
- Fields that the specification does not name pass to compatible providers unchanged. *Left out* names fields that a
  provider does not have and whose loss does not change the meaning of a request; what would change it is refused with
  400 \`invalid_body\`, with its path and the provider's name.
- \`override_params\` with a \`null\` value drops a parameter; with any other value it sets one.
- Under strict compliance (the default) \`thinking\` is left out of a chat, except at providers that define it themselves;
  \`strict_compat_compliance: false\` sends it everywhere.
- Tools, calls and a \`tool_choice\` with a \`function\` need no \`type\`. Tools of types that the gateway does not know reach
  providers of the same format; other providers get the request without them, unless it is about nothing else.`

function overview(adapters: readonly ProviderAdapter[]): string {
  const rows = adapters.map(
    ({ name, title, endpoints }) =>
      `| [${escapeCell(title)}](#${name}) | \`${name}\` | ${codes(endpointNames(endpoints)) || '–'} |`,
  )
  return ['| provider | name | endpoints |', '|---|---|---|', ...rows].join('\n')
}

/** In the order of the contract. */
const endpointNames = (endpoints: ProviderAdapter['endpoints']) =>
  endpointIds.filter((id) => endpoints[id] !== undefined)

function section(adapter: ProviderAdapter): string {
  const { name, title, notes = {} } = adapter
  const blocks = [
    // An explicit anchor, because titles may not be unique.
    `<a id="${name}"></a>\n\n## ${title}`,
    facts(adapter),
    bullets(notes.remarks ?? []),
    drops(notes.drops),
    configurations(adapter.configurations),
    example(adapter),
  ]
  return blocks.filter((block) => block !== '').join('\n\n')
}

function facts({ name, docs, baseUrl, endpoints, credential, notes }: ProviderAdapter): string {
  const keys = codes(notes?.credentials ?? ['api_key'])
  const credentials = { required: keys, optional: `${keys}, where the server asks for one`, none: 'none' }
  const rows: [string, string][] = [
    ['name', `\`${name}\``],
    ['reference', /^https?:/.test(docs) ? `<${docs}>` : docs],
    ['base URL', address(baseUrl, endpoints)],
    ['endpoints', codes(endpointNames(endpoints)) || 'none'],
    ['credential', credentials[credential]],
  ]
  return ['| | |', '|---|---|', ...rows.map(([what, value]) => `| ${what} | ${escapeCell(value)} |`)].join(
    '\n',
  )
}

function address(baseUrl: ProviderAdapter['baseUrl'], endpoints: ProviderAdapter['endpoints']): string {
  if (typeof baseUrl === 'string') return `\`${baseUrl}\``
  if (typeof baseUrl === 'function') return 'from the settings of the credential'
  const isCalled = Object.values(endpoints).some(({ kind }) => kind !== 'procedure')
  return isCalled ? 'given by `custom_host`' : 'none'
}

const bullets = (lines: readonly string[]) => lines.map((line) => `- ${line}`).join('\n')

function drops(byEndpoint: NonNullable<ProviderAdapter['notes']>['drops'] = {}): string {
  const lines = endpointIds.flatMap((id) => {
    const fields = byEndpoint[id] ?? []
    return fields.length === 0 ? [] : [`- \`${id}\`: ${codes(fields)}`]
  })
  return lines.length === 0 ? '' : ['Left out:', '', ...lines].join('\n')
}

/** Further members of a stored credential. */
function configurations(schema: TSchema | undefined): string {
  const properties: unknown = schema?.properties
  if (schema === undefined || !isObject(properties)) return ''
  const rows = Object.entries(properties).map(([name, property]) => {
    const { description } = isObject(property) ? property : {}
    return `| \`${name}\` | ${typeOf(property)} | ${typeof description === 'string' ? escapeCell(description) : ''} |`
  })
  const head = ['`configurations` of a stored credential:', '', '| key | type | meaning |', '|---|---|---|']
  return [...head, ...rows].join('\n')
}

function typeOf(property: unknown): string {
  if (!isObject(property)) return ''
  if (TypeGuard.IsUnion(property)) {
    const values = property.anyOf.map((each: TSchema) => each.const)
    if (values.every((value) => value !== undefined))
      return values.map((value) => `\`${value}\``).join(' \\| ')
  }
  if (property.const !== undefined) return `\`${String(property.const)}\``
  return typeof property.type === 'string' ? property.type : 'any'
}

function example({ name, credential, baseUrl, endpoints, notes }: ProviderAdapter): string {
  const isHostNeeded = baseUrl === null && Object.values(endpoints).some(({ kind }) => kind !== 'procedure')
  const entry: JsonObject = notes?.example ?? {
    provider: name,
    ...(credential === 'required'
      ? { api_key: `\${${name.toUpperCase().replaceAll('-', '_')}_API_KEY}` }
      : {}),
    ...(isHostNeeded ? { custom_host: 'http://10.1.2.3:8000/v1' } : {}),
  }
  const text = stringify({ providers: { [`my-${name}`]: entry } }, { lineWidth: 0 })
  return `\`\`\`yaml\n${text}\`\`\``
}

const codes = (names: readonly string[]) => names.map((name) => `\`${name}\``).join(' ')

const escapeCell = (text: string) => text.replaceAll('|', '\\|').replaceAll('\n', ' ')
