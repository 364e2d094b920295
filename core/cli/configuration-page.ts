/** The reference page of the config file: every key of its published schema, with type, default and description. */
import { publishSchemas } from '@gateway/config-file'
import type { Registry } from '@gateway/flow'

interface Schema {
  $ref?: string
  type?: string | string[]
  description?: string
  default?: unknown
  enum?: unknown[]
  const?: unknown
  properties?: Record<string, Schema>
  required?: string[]
  patternProperties?: Record<string, Schema>
  additionalProperties?: Schema | boolean
  items?: Schema
  anyOf?: Schema[]
  $defs?: Record<string, Schema>
}

interface Row {
  path: string
  schema: Schema
}

const maxDepth = 5

/** The keys below a schema, each with its path: `server.tls.cert`, `providers.NAME.api_key`, `api_keys[].name`. */
function rowsOf(schema: Schema, path: string, depth = 0): Row[] {
  if (depth > maxDepth) return []
  const own = Object.entries(schema.properties ?? {}).flatMap(([name, member]) => {
    const at = path === '' ? name : `${path}.${name}`
    return [{ path: at, schema: member }, ...rowsOf(member, at, depth + 1)]
  })
  const named = [
    ...Object.values(schema.patternProperties ?? {}),
    ...(typeof schema.additionalProperties === 'object' ? [schema.additionalProperties] : []),
  ].flatMap((member) => rowsOf(member, `${path}.NAME`, depth + 1))
  const items = schema.items === undefined ? [] : rowsOf(schema.items, `${path}[]`, depth + 1)
  const choices = (schema.anyOf ?? []).flatMap((choice) => rowsOf(choice, path, depth + 1))
  const seen = new Set<string>()
  return [...own, ...named, ...items, ...choices].filter(({ path: at }) => !seen.has(at) && seen.add(at))
}

function typeOf(schema: Schema): string {
  if (schema.$ref !== undefined)
    return `[${schema.$ref.split('/').at(-1)}](#${schema.$ref.split('/').at(-1)})`
  if (schema.const !== undefined) return `\`${JSON.stringify(schema.const)}\``
  if (schema.enum !== undefined) return schema.enum.map((value) => `\`${String(value)}\``).join(', ')
  if (schema.anyOf !== undefined) return [...new Set(schema.anyOf.map(typeOf))].join(' or ')
  if (schema.items !== undefined) return `list of ${typeOf(schema.items)}`
  return [schema.type ?? 'any'].flat().join(' or ')
}

const cell = (text: string) => text.replaceAll('|', '\\|').replaceAll('\n', ' ')

function line({ path, schema }: Row): string {
  const value = schema.default === undefined ? '' : `\`${JSON.stringify(schema.default)}\``
  return `| \`${path}\` | ${cell(typeOf(schema))} | ${cell(value)} | ${cell(schema.description ?? '')} |`
}

function section(name: string, schema: Schema, path: string): string {
  const head = '| key | type | default | meaning |\n|---|---|---|---|'
  const rows = rowsOf(schema, path)
  const words = schema.description === undefined ? '' : `${schema.description}\n\n`
  const table = rows.length === 0 ? '' : `${head}\n${rows.map(line).join('\n')}\n`
  return `## ${name}\n\n${words}${table}`
}

export function configurationPage({ keyless }: Pick<Registry, 'keyless'>): string {
  const published = publishSchemas(keyless).find(({ name }) => name === 'gateway.schema.json')
  const schema = JSON.parse(published?.text ?? '{}') as Schema
  const sections = Object.entries(schema.properties ?? {}).filter(([name]) => name !== '$schema')
  return [
    '# Configuration reference',
    'Written by `npm run docs` from the schema of the config file. `NAME` stands for a name that you choose. Values can be read from\nenvironment variables, as `config/example.yaml` shows. A file named\n`.json` must be strict JSON; any other name is read as YAML. `gateway check` validates a file. An empty file is valid.\nThe gateway then starts without a provider, and `gateway start` and `gateway check` warn you.',
    ...sections.map(([name, member]) => section(name, member, name).trimEnd()),
    ...Object.entries(schema.$defs ?? {}).map(([name, member]) => section(name, member, '').trimEnd()),
    '',
  ]
    .join('\n\n')
    .replace(/\n+$/, '\n')
}
