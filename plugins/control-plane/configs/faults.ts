/** Validates a routing config before it is saved. */

import { type ErrorCode, type Fault, isObject, type JsonObject, type ServiceContext } from '@gateway/contract'
import { slugKey, unknownName } from '@gateway/core/domain'
import { isId } from '../engine/index.ts'

/** A missing reference is a fault of the config, not a 404. */
const asReference: Partial<Record<ErrorCode, ErrorCode>> = {
  unknown_virtual_key: 'invalid_config',
  unknown_config: 'invalid_config',
  not_found: 'invalid_config',
}

const maxProposed = 100

export type ReferenceKind = 'provider' | 'guardrail' | 'prompt'

const kindOf: Partial<Record<ErrorCode, ReferenceKind>> = {
  unknown_virtual_key: 'provider',
  unknown_guardrail: 'guardrail',
}

/**
 * The faults of its schema, or else those of its references in this workspace. Paths begin with `/config`.
 * @param unchecked kinds of references that the caller must not learn of
 */
export async function configFaults(
  context: ServiceContext,
  config: JsonObject,
  workspaceId: string,
  unchecked: ReadonlySet<ReferenceKind> = new Set(),
): Promise<Fault[]> {
  const isChecked = ({ code }: Fault) => {
    const kind = kindOf[code]
    return kind === undefined || !unchecked.has(kind)
  }
  const faults = (await context.checkConfig(config, workspaceId)).filter(isChecked)
  if (faults.length > 0) {
    return faults.map((fault) => ({ ...fault, code: asReference[fault.code] ?? fault.code }))
  }
  if (unchecked.has('prompt')) return []
  const missing: Fault[] = []
  for (const { param, name } of promptsOf(config, '/config')) {
    if (await isPrompt(context, name, workspaceId)) continue
    const known = await promptSlugs(context, workspaceId)
    const message = unknownName({ what: 'prompt', written: name, known })
    missing.push({ param, code: 'invalid_config', message })
  }
  return missing
}

/** Slugs that a message may suggest. */
async function promptSlugs({ ports }: ServiceContext, workspaceId: string): Promise<string[]> {
  const filter = { workspace_ids: [workspaceId], statuses: ['active'] }
  const order = { sort: 'created_at', order: 'desc' } as const
  const { documents } = await ports.documents.list('prompt', filter, order, { offset: 0, limit: maxProposed })
  return documents.flatMap(({ slug }) => slug ?? [])
}

interface PromptReference {
  param: string
  /** The name without a version suffix. */
  name: string
}

function promptsOf(node: JsonObject, param: string): PromptReference[] {
  const { prompt_id: written, targets } = node
  const own =
    typeof written === 'string' ? [{ param: `${param}/prompt_id`, name: written.replace(/@.*$/, '') }] : []
  const below = (Array.isArray(targets) ? targets : []).flatMap((target, index) =>
    isObject(target) ? promptsOf(target, `${param}/targets/${index}`) : [],
  )
  return [...own, ...below]
}

async function isPrompt({ ports }: ServiceContext, name: string, workspaceId: string): Promise<boolean> {
  const kind = 'prompt'
  const found = isId(name)
    ? await ports.documents.get(kind, name)
    : await ports.documents.findByKey(kind, slugKey(workspaceId, name))
  return found !== null && found.status !== 'archived' && found.workspace_id === workspaceId
}
