/** Who uses a guardrail: live configs, the file's too, and defaults of the organisation, workspaces and keys. */

import { isObject, type StoredDocument } from '@gateway/contract'
import { type GuardrailData, kinds } from '@gateway/core/domain'
import { referencesOf } from '../configs/index.ts'
import type { Call } from '../engine/index.ts'
import { defaultsName, findUsers, nameOf, usersByDefault } from '../shared/index.ts'

const members = ['input_guardrails', 'output_guardrails'] as const

export async function guardrailUsers(
  { id, slug, workspace_id: workspaceId }: StoredDocument<GuardrailData>,
  call: Call,
): Promise<string[]> {
  const names = slug === null ? [id] : [id, slug]
  const ofFile = call.context.fileDocuments().filter(({ kind, data }) => {
    if (kind !== kinds.config || !isObject(data.config)) return false
    return referencesOf(data.config).guardrails.some((name) => names.includes(name))
  })
  const configs = await findUsers(call, {
    kind: kinds.config,
    title: 'config',
    filter: {
      statuses: ['active'],
      attributes: { guardrails: names },
      ...(workspaceId === null ? {} : { workspace_ids: [workspaceId] }),
    },
    uses: () => true,
  })
  const byDefault = await usersByDefault(call, { workspaceId, members, names })
  const organisation = await call.organisation()
  const isOrganisationDefault =
    workspaceId === null &&
    defaultsName({ ...organisation, data: { defaults: { ...organisation.data.defaults } } }, members, names)
  return [
    ...(isOrganisationDefault ? ['the organisation’s defaults'] : []),
    ...ofFile.map((document) => `config ${nameOf(document)} of the config file`),
    ...configs,
    ...byDefault,
  ]
}
