/** Validates a version's references: its provider and config. Errors at their paths. */
import { kinds, type PromptData } from '@gateway/domain'
import { unknownReference, type Write } from '../engine/index.ts'

export async function checkReferences({ draft, call, fault }: Write<PromptData>): Promise<void> {
  const scope = draft.workspace_id ?? call.organisationId
  const { virtual_key: written, config } = draft.data
  const unknown = (kind: string, name: string) =>
    unknownReference(call, { kind, written: name, workspaceId: draft.workspace_id })
  const slug = written?.replace(/^@/, '') ?? null
  if (slug !== null && (await call.find(kinds.provider, slug, scope)) === null)
    fault('/virtual_key', await unknown(kinds.provider, slug))
  if (config !== null && (await call.find(kinds.config, config, scope)) === null)
    fault('/config', await unknown(kinds.config, config))
}
