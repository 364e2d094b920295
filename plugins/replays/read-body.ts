/** Reads the body of `POST /v1/replays`. */
import { GatewayError, isObject, type JsonObject } from '@gateway/contract'
import { nameSchema } from '@gateway/control-plane/engine'
import { filterProperties, filterText } from '@gateway/observability/visible-logs'
import { type Static, type TSchema, Type } from '@sinclair/typebox'
import { mostPairs } from './positions.ts'
import { seedLimit } from './statistics/random.ts'

const orNull = <Schema extends TSchema>(schema: Schema) => Type.Union([schema, Type.Null()])

const config = Type.Union(
  [
    Type.String({ minLength: 1, maxLength: 255 }),
    Type.Object({}, { additionalProperties: true, minProperties: 1 }),
  ],
  { description: 'The id or slug of a saved config, #SLUG, or an inline config.' },
)

const filters = Type.Object(
  Object.fromEntries(Object.keys(filterProperties).map((name) => [name, Type.Optional(Type.Unknown())])),
  // An unknown filter is reported at its own path.
  { additionalProperties: true, description: 'As in GET /logs. Default: the last 7 days.' },
)

export const createBody = Type.Object(
  {
    name: Type.Optional(orNull(nameSchema)),
    source: Type.Object(
      {
        filter: Type.Optional(filters),
        sample: Type.Integer({ minimum: 1, maximum: mostPairs }),
      },
      { additionalProperties: false },
    ),
    config,
    concurrency: Type.Optional(Type.Integer({ minimum: 1, maximum: 64, default: 4 })),
    budget: Type.Optional(
      orNull(
        Type.Number({
          exclusiveMinimum: 0,
          maximum: 1_000_000,
          description: 'US dollars. Default: no bound.',
        }),
      ),
    ),
    judge: Type.Optional(
      orNull(
        Type.Object(
          { config, criteria: Type.String({ minLength: 1, maxLength: 8192 }) },
          { additionalProperties: false },
        ),
      ),
    ),
    seed: Type.Optional(orNull(Type.Integer({ minimum: 0, maximum: seedLimit - 1 }))),
    api_key_id: Type.Optional(
      orNull(
        Type.String({
          maxLength: 255,
          description: 'The key that runs it: for sessions and organisation keys, which cannot run requests.',
        }),
      ),
    ),
    dry_run: Type.Optional(Type.Boolean({ default: false })),
    workspace_id: Type.Optional(Type.String()),
  },
  { additionalProperties: false },
)

export type CreateBody = Static<typeof createBody>

/** Converts the filter's members to query parameters. Errors: 400 for an unknown one. */
export function writtenFilter(filter: JsonObject): Record<string, unknown> {
  const unknown = Object.keys(filter).find((name) => !Object.hasOwn(filterProperties, name))
  if (unknown !== undefined) throw filterFault(unknown, 'is an unknown filter')
  if (filter.workspace_slug !== undefined)
    throw filterFault('workspace_slug', 'a replay reads its own workspace: name it with /workspace_id')
  return Object.fromEntries(Object.entries(filter).map(([name, value]) => [name, filterText(value)]))
}

export function filterFault(name: string, message: string): GatewayError {
  const param = `/source/filter/${name}`
  return new GatewayError('invalid_body', `${param}: ${message}`, { param })
}

/** Formats the config as a header. `#SLUG` is the form of a model name. */
export const configText = (config: unknown): string =>
  isObject(config) ? JSON.stringify(config) : String(config).replace(/^#/, '')
