/** The schemas from which an editor suggests values, loaded with its field. */
import { load, type Row, urlOf } from '../api.ts'
import { rowOf } from '../json.ts'

/** Suggestions contain only objects that the user may list. */
const orNone = <R,>(asked: Promise<{ data: R[] }>): Promise<R[]> =>
  asked.then(
    ({ data }) => data,
    () => [],
  )

async function configSchema(): Promise<Row> {
  const { default: schema } = await import('config-schema')
  const some = { query: { page_size: 200 } }
  const [providers, guardrails] = await Promise.all([
    orNone(load(urlOf('/v1/providers', some))),
    orNone(load(urlOf('/v1/guardrails', some))),
  ])
  return withSlugs(schema, {
    provider: { enum: providers.map(({ slug }) => `@${String(slug)}`) },
    virtual_key: { enum: providers.map(({ slug }) => String(slug)) },
    input_guardrails: { items: { enum: guardrails.map(({ slug }) => String(slug)) } },
    output_guardrails: { items: { enum: guardrails.map(({ slug }) => String(slug)) } },
  })
}

/** Replaces references in the schema with names that exist on this gateway. */
function withSlugs(schema: Row, members: Row): Row {
  const definitions = rowOf(schema.$defs)
  const node = rowOf(definitions.node)
  const properties = { ...rowOf(node.properties), ...members }
  return { ...schema, $defs: { ...definitions, node: { ...node, properties } } }
}

async function checksSchema(): Promise<Row> {
  const { data } = await load(urlOf('/v1/guardrails/checks', { query: { page_size: 1000 } }))
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

const toolsSchema: Row = {
  type: 'array',
  items: {
    type: 'object',
    properties: {
      type: { enum: ['function'] },
      function: {
        type: 'object',
        properties: {
          name: { type: 'string' },
          description: { type: 'string' },
          parameters: {
            type: 'object',
            properties: {
              type: { enum: ['object'] },
              properties: { type: 'object' },
              required: { type: 'array' },
              additionalProperties: { type: 'boolean' },
            },
          },
          strict: { type: 'boolean', default: false },
        },
      },
    },
  },
}

export type SchemaName = 'config' | 'checks' | 'tools'

const loaders: Readonly<Record<SchemaName, () => Promise<Row>>> = {
  config: configSchema,
  checks: checksSchema,
  tools: async () => toolsSchema,
}

export const loadSchema = (name: SchemaName): Promise<Row> => loaders[name]()
