/**
 * `POST /configs/validate`: the errors of a config and its leaf targets, without saving it (section 22). References are
 * checked only if the caller may list the objects that they refer to.
 */

import { isObject, type JsonObject } from '@gateway/contract'
import type { ConfigData } from '@gateway/domain'
import { Type } from '@sinclair/typebox'
import { type Call, type ExtraRoute, namedWorkspace } from '../engine/index.ts'
import { parseConfig } from './body.ts'
import { knowableFaults } from './faults.ts'

const answer = Type.Object(
  {
    valid: Type.Boolean(),
    errors: Type.Array(Type.Object({ param: Type.String(), message: Type.String() })),
    targets: Type.Array(
      Type.String({ description: 'The path of a leaf target, for example config.targets[0].' }),
    ),
  },
  { title: 'ConfigValidation' },
)

export const configValidateRoute: ExtraRoute<ConfigData, 'checkConfig'> = {
  method: 'POST',
  path: '/validate',
  operationId: 'configValidate',
  summary: 'Validates a config without saving it',
  action: 'read',
  query: Type.Object({ workspace_id: Type.Optional(Type.String()) }),
  // Any type is accepted, because the config's errors are the content of the answer, not an error status.
  body: Type.Object({ config: Type.Unsafe({}) }, { additionalProperties: false }),
  answer,
  auditAction: 'validate',
  handle: async (call) => {
    const config = parseConfig(call.body.config)
    if (typeof config === 'string') {
      return { valid: false, errors: [{ param: '/config', message: config }], targets: [] }
    }
    const faults = await knowableFaults(call, config, await workspaceOf(call))
    const errors = faults.map(({ param, message }) => ({ param, message }))
    return { valid: errors.length === 0, errors, targets: leavesOf(config, 'config') }
  },
}

/** References are resolved in the specified workspace, otherwise in the credential's own. */
const workspaceOf = async (call: Call): Promise<string> =>
  (await namedWorkspace({ level: 'workspace' }, call)) ?? call.identity.workspaceId

/** The nodes without targets, in order. */
function leavesOf(node: JsonObject, path: string): string[] {
  if (!Array.isArray(node.targets) || node.targets.length === 0) return [path]
  return node.targets.flatMap((target, index) =>
    isObject(target) ? leavesOf(target, `${path}.targets[${index}]`) : [],
  )
}
