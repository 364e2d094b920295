/**
 * Members of a translated chat request that do not come from the caller's format: those of `override_params` in the
 * config, and of `extra_body` in the body. Errors: `invalid_body` for members that the translation writes, because
 * guardrails and limits have read those of the caller's body.
 */
import { GatewayError, isObject, type JsonObject } from '@gateway/contract'
import type { BodyDialect } from '@gateway/contract/dialect'
import type { Resolved } from '@gateway/flow'

/** Members that were checked in the caller's format. */
const checked = new Set([
  'messages',
  'input',
  'model',
  'tools',
  'tool_choice',
  'functions',
  'function_call',
  'stream',
  'stream_options',
  'n',
  'max_tokens',
  'max_completion_tokens',
])

export function addedMembers(
  { input: { body, overridden } }: Resolved,
  { members }: Pick<BodyDialect, 'members'>,
): JsonObject {
  const { extra_body: extra } = body
  if (extra === undefined && overridden === null) return {}
  const set = Object.entries(overridden ?? {}).filter(
    ([name, value]) => !members.has(name) && name !== 'messages' && name !== 'extra_body' && value !== null,
  )
  return { ...readExtra(extra), ...Object.fromEntries(set) }
}

function readExtra(extra: JsonObject[string]): JsonObject {
  if (extra === undefined || extra === null) return {}
  if (!isObject(extra)) throw refusal('/extra_body', 'must be an object')
  for (const name of Object.keys(extra))
    if (checked.has(name)) throw refusal(`/extra_body/${name}`, 'must be set in the body itself')
  return extra
}

const refusal = (param: string, reason: string): GatewayError =>
  new GatewayError('invalid_body', `${param}: ${reason}`, { param })
