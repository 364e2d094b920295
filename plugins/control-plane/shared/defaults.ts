/**
 * `defaults` of organisations, workspaces and keys: their references, and metadata validated against the organisation's
 * schema. Errors are recorded at their paths below `/defaults`.
 */

import { type ErrorCode, isObject, type Json, ownMember, runInTurns } from '@gateway/contract'
import { type Defaults, kinds, organisationSettings } from '@gateway/domain'
import { compileSchema, isTooComplex } from '@gateway/plugin-kit/json-schema'
import { Type } from '@sinclair/typebox'
import { type Call, unknownReference } from '../engine/index.ts'

type NoteFault = (param: string, message: string, code?: ErrorCode) => void

export const noDefaults: Defaults = {
  metadata: null,
  config_id: null,
  allow_config_override: true,
  input_guardrails: null,
  output_guardrails: null,
}

/** The stored form, with every member present. */
export const completeDefaults = (written: Partial<Defaults> | null): Defaults => ({
  ...noDefaults,
  ...written,
})

/** Records references to objects that do not exist. `workspaceId` null: of the organisation. */
export async function checkReferences(
  call: Call,
  defaults: Partial<Defaults> & { user_api_key_config?: string | null },
  { workspaceId, fault }: { workspaceId: string | null; fault: NoteFault },
): Promise<void> {
  const scopes = workspaceId === null ? [call.organisationId] : [workspaceId, call.organisationId]
  const isThere = async (kind: string, name: string) => {
    for (const scope of scopes) if ((await call.find(kind, name, scope)) !== null) return true
    return false
  }
  const unknown = (kind: string, written: string) => unknownReference(call, { kind, written, workspaceId })
  for (const member of ['config_id', 'user_api_key_config'] as const) {
    const name = defaults[member] ?? null
    if (name !== null && !(await isThere(kinds.config, name))) {
      fault(`/defaults/${member}`, await unknown(kinds.config, name))
    }
  }
  for (const member of ['input_guardrails', 'output_guardrails'] as const) {
    for (const [index, name] of (defaults[member] ?? []).entries()) {
      if (await isThere(kinds.guardrail, name)) continue
      fault(`/defaults/${member}/${index}`, await unknown(kinds.guardrail, name), 'unknown_guardrail')
    }
  }
}

/** Metadata with the schema's defaults filled in. Records violations of the organisation's schema. */
export async function applyMetadataSchema(
  call: Call,
  kind: 'api_key' | 'workspace',
  { defaults, fault }: { defaults: Pick<Defaults, 'metadata'>; fault: NoteFault },
): Promise<void> {
  const { metadata_schema: schemas } = organisationSettings((await call.organisation()).data)
  const schema = isObject(schemas) ? schemas[kind] : null
  if (!isObject(schema)) return
  const metadata = { ...defaults.metadata }
  const properties = isObject(schema.properties) ? schema.properties : {}
  for (const [name, property] of Object.entries(properties)) {
    if (isObject(property) && typeof property.default === 'string')
      metadata[name] = ownMember(metadata, name) ?? property.default
  }
  const broken = await runInTurns(compileSchema(schema)(metadata), call.request)
  if (broken !== null) fault(`/defaults/metadata${broken.path}`, broken.message)
  defaults.metadata = Object.keys(metadata).length === 0 ? defaults.metadata : metadata
}

const stringProperties = Type.Object(
  {
    type: Type.Literal('object'),
    properties: Type.Optional(
      Type.Record(
        Type.String(),
        Type.Object({ type: Type.Literal('string') }, { additionalProperties: true }),
      ),
    ),
    required: Type.Optional(Type.Array(Type.String())),
    additionalProperties: Type.Optional(Type.Literal(true)),
  },
  { additionalProperties: true },
)

/** Records why a JSON Schema of metadata cannot be used. */
export function checkMetadataSchema(
  call: Call,
  schema: Json | undefined,
  { param, fault }: { param: string; fault: NoteFault },
): void {
  if (!isObject(schema)) return
  const faults = call.context.validator(stringProperties, 'invalid_body', param)(schema)
  for (const one of faults) fault(one.param, one.message)
  if (faults.length > 0) return
  try {
    compileSchema(schema)
  } catch (error) {
    if (!(error instanceof Error)) throw error
    // The schema comes from the caller, so the compiler's message is shown.
    const code = isTooComplex(error) ? 'schema_too_complex' : 'invalid_body'
    fault(param, `is not a usable JSON Schema: ${error.message}`, code)
  }
}
