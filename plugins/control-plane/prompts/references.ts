/** Validates a version's references: its provider and config. Faults at their paths. */
import { kinds, type PromptData } from '@gateway/core/domain'
import type { Write } from '../engine/index.ts'

export async function checkReferences({ draft, call, fault }: Write<PromptData>): Promise<void> {
  const scope = draft.workspace_id ?? call.organisationId
  const { virtual_key: written, config } = draft.data
  const slug = written?.replace(/^@/, '') ?? null
  if (slug !== null && (await call.find(kinds.provider, slug, scope)) === null)
    fault('/virtual_key', `No stored provider has the slug "${slug}"`)
  if (config !== null && (await call.find(kinds.config, config, scope)) === null)
    fault('/config', `No config has the slug or id "${config}"`)
}
