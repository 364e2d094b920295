/** Schemas that the editor of a field proposes by, loaded with the field. */
import { call, type List, type Row } from '../api.ts'
import { rowOf } from '../json.ts'

async function configSchema(): Promise<Row> {
  const { default: schema } = await import('config-schema')
  const list = async (path: string) => (await call<List>('GET', path)).data
  const found = await Promise.allSettled([
    list('/v1/providers?page_size=200'),
    list('/v1/guardrails?page_size=200'),
  ])
  const [providers = [], guardrails = []] = found.map((one) => (one.status === 'fulfilled' ? one.value : []))
  return withSlugs(schema, {
    provider: { enum: providers.map(({ slug }) => `@${String(slug)}`) },
    virtual_key: { enum: providers.map(({ slug }) => String(slug)) },
    input_guardrails: { items: { enum: guardrails.map(({ slug }) => String(slug)) } },
    output_guardrails: { items: { enum: guardrails.map(({ slug }) => String(slug)) } },
  })
}

/** The schema, with what this gateway has in place of members that name it. */
function withSlugs(schema: Row, members: Row): Row {
  const definitions = rowOf(schema.$defs)
  const node = rowOf(definitions.node)
  const properties = { ...rowOf(node.properties), ...members }
  return { ...schema, $defs: { ...definitions, node: { ...node, properties } } }
}

async function checksSchema(): Promise<Row> {
  const { data } = await call<List>('GET', '/v1/guardrails/checks?page_size=1000')
  return {
    type: 'array',
    items: {
      type: 'object',
      properties: {
        id: { enum: data.map(({ id }) => id ?? null) },
        name: { type: 'string' },
        is_enabled: { type: 'boolean', default: true },
        parameters: {
          type: 'object',
          'x-by': {
            member: 'id',
            schemas: Object.fromEntries(data.map(({ id, parameters }) => [String(id), rowOf(parameters)])),
          },
        },
      },
    },
  }
}

export type SchemaName = 'config' | 'checks'

const loaders: Readonly<Record<SchemaName, () => Promise<Row>>> = {
  config: configSchema,
  checks: checksSchema,
}

export const loadSchema = (name: SchemaName): Promise<Row> => loaders[name]()
