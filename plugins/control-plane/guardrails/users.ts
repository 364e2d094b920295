/**
 * The users of a guardrail: active configs, including those of the config file, and defaults of the organisation,
 * workspaces and keys.
 */

import type { StoredDocument } from '@gateway/contract'
import type { GuardrailData } from '@gateway/domain'
import type { Call } from '../engine/index.ts'
import { configsUsing, defaultsName, usersByDefault } from '../shared/index.ts'

const members = ['input_guardrails', 'output_guardrails'] as const

export async function guardrailUsers(
  { id, slug, workspace_id: workspaceId }: StoredDocument<GuardrailData>,
  call: Call,
): Promise<string[]> {
  const names = slug === null ? [id] : [id, slug]
  const configs = await configsUsing(call, { as: 'guardrails', names, workspaceId })
  const byDefault = await usersByDefault(call, { workspaceId, members, names })
  const organisation = await call.organisation()
  const isOrganisationDefault =
    workspaceId === null &&
    defaultsName({ ...organisation, data: { defaults: { ...organisation.data.defaults } } }, members, names)
  return [...(isOrganisationDefault ? ['the organisation’s defaults'] : []), ...configs, ...byDefault]
}
