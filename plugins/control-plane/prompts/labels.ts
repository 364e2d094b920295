/**
 * Labels (management contract, section 14): names that point to one version of each prompt. Three of them exist in
 * every workspace and cannot be changed.
 */
import type { StoredDocument } from '@gateway/contract'
import { derivedId, kinds, type PromptLabelData } from '@gateway/domain'
import { Type } from '@sinclair/typebox'
import { type Call, defineResource, type Resource } from '../engine/index.ts'

const maxProposed = 100

const universal = ['production', 'staging', 'development'] as const
/** Moving it requires `prompts.publish`. */
export const guardedLabel = 'production'

/** `default`, `latest`, `published` and numbers refer to versions. */
const namePattern = '^(?!latest$|default$|published$|\\d+$)[A-Za-z0-9_-]{1,64}$'

export const labels: Resource = defineResource<PromptLabelData>({
  kind: kinds.promptLabel,
  object: 'label',
  title: 'label',
  tag: 'Prompts',
  operation: 'label',
  path: '/labels',
  level: 'workspace',
  families: [{ family: 'prompts' }],
  slug: null,
  fields: {
    name: {
      schema: Type.String({
        pattern: namePattern,
        explain: 'must be 1 to 64 letters, digits, _ and -, but not a number, latest, default or published',
      }),
      isRequired: true,
    },
    description: { schema: Type.String({ maxLength: 1024 }) },
    color_code: { schema: Type.String({ minLength: 1, maxLength: 32 }) },
  },
  answers: { is_universal: Type.Boolean() },
  builtIn: ({ organisationId }) => universal.map((name) => universalLabel(organisationId, name)),
  hooks: {
    prepare(write) {
      const { draft, action, fault } = write
      draft.data.is_universal = false
      const isTaken = universal.some((name) => name === draft.name)
      if (action !== 'archive' && isTaken)
        fault(
          '/name',
          `"${draft.name}" is a built-in label of every workspace: choose another name`,
          'conflict',
        )
    },
    keys: ({ workspace_id: workspaceId, name }) => [labelKey(workspaceId ?? '', name ?? '')],
    present: ({ data }) => ({ is_universal: data.is_universal }),
  },
})

const labelKey = (workspaceId: string, name: string) => `name:${workspaceId}/${name}`

function universalLabel(organisationId: string, name: string): StoredDocument<PromptLabelData> {
  return {
    kind: kinds.promptLabel,
    id: universalLabelId(organisationId, name),
    organisation_id: organisationId,
    workspace_id: null,
    slug: null,
    name,
    status: 'active',
    version: 1,
    created_at: 0,
    last_updated_at: 0,
    keys: [],
    attributes: {},
    data: { description: null, color_code: null, is_universal: true, ...builtIn },
  }
}

/** The marker of built-in documents in the engine. */
const builtIn: object = { source: 'built-in' }

const universalLabelId = (organisationId: string, name: string): string =>
  derivedId(`${kinds.promptLabel}/${organisationId}/${name}`)

interface LabelPlace {
  organisationId: string
  workspaceId: string
}

/** The id of the label with this name in a workspace, or null. */
export async function labelIdByName(
  { documents }: Pick<Call, 'documents'>,
  { organisationId, workspaceId }: LabelPlace,
  name: string,
): Promise<string | null> {
  if (universal.some((one) => one === name)) return universalLabelId(organisationId, name)
  return (await documents.findByKey(kinds.promptLabel, labelKey(workspaceId, name)))?.id ?? null
}

/** Names that a message may suggest: those of all workspaces and the newest ones of this workspace. */
export async function knownLabels(
  { documents }: Pick<Call, 'documents'>,
  workspaceId: string | null,
): Promise<string[]> {
  const filter = { workspace_ids: [workspaceId], statuses: ['active'] }
  const order = { sort: 'created_at', order: 'desc' } as const
  const { documents: own } = await documents.list(kinds.promptLabel, filter, {
    ...order,
    offset: 0,
    limit: maxProposed,
  })
  return [...new Set([...universal, ...own.flatMap(({ name }) => name ?? [])])]
}

/** The names of labels by id, for ids that still exist. */
export async function labelNames(
  { documents, organisationId }: Pick<Call, 'documents' | 'organisationId'>,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const names = new Map<string, string>(
    universal.map((name) => [universalLabelId(organisationId, name), name]),
  )
  const stored = ids.filter((id) => !names.has(id))
  if (stored.length === 0) return names
  const filter = { ids: stored, statuses: ['active'] }
  const found = await documents.list(kinds.promptLabel, filter, { offset: 0, limit: stored.length })
  for (const { id, name } of found.documents) if (name !== null) names.set(id, name)
  return names
}
