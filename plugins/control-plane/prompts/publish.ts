/** Publishes a version for `publish: true` of an update. Errors: 403 `missing_scope`. */
import type { Versioned } from '@gateway/domain'
import type { Call, Write } from '../engine/index.ts'

const publishScope = 'prompts.publish'

export async function requirePublish(call: Call, workspaceId: string | null): Promise<void> {
  await call.require([publishScope], workspaceId)
}

/** Publishes the latest version. */
export async function publishIfAsked({ draft, body, call }: Write<Versioned>): Promise<void> {
  if (body.publish !== true) return
  await requirePublish(call, draft.workspace_id)
  draft.data.published_version = draft.data.latest_version
}
