/** References to a config or a guardrail, which block its deletion and are listed in the error. */

import {
  type DocumentFilter,
  isObject,
  type Json,
  type JsonObject,
  type StoredDocument,
} from '@gateway/contract'
import { type Defaults, kinds } from '@gateway/domain'
import type { Call } from '../engine/index.ts'

const pageSize = 500
/** The message lists ten; an eleventh shows that there are more. */
const enough = 11
const liveStatuses = ['active', 'exhausted', 'expired', 'deactivated']

/** Names of live documents of a kind that use an object, for example `API key ci`. Stops when there are enough. */
export async function findUsers(
  call: Call,
  search: { kind: string; title: string; filter: DocumentFilter; uses(document: StoredDocument): boolean },
): Promise<string[]> {
  const { kind, title, filter, uses } = search
  const users: string[] = []
  for (let offset = 0; users.length < enough; offset += pageSize) {
    const page = { offset, limit: pageSize }
    const { documents } = await call.documents.list(
      kind,
      { statuses: liveStatuses, organisation_id: call.organisationId, ...filter },
      { sort: 'id', order: 'asc', ...page },
    )
    users.push(...documents.filter(uses).map((document) => `${title} ${nameOf(document)}`))
    if (documents.length < pageSize) break
  }
  return users
}

export const nameOf = ({ slug, name, id }: StoredDocument): string => slug ?? name ?? id

const defaultsOf = ({ data }: StoredDocument): JsonObject => (isObject(data.defaults) ? data.defaults : {})

/** Whether the defaults of a key, a workspace or an organisation refer to one of these in any member. */
export function defaultsName(
  document: StoredDocument,
  members: readonly string[],
  names: readonly string[],
): boolean {
  const defaults = defaultsOf(document)
  return members.some((member) => listOf(defaults[member]).some((value) => names.includes(String(value))))
}

const listOf = (value: Json | undefined): Json[] =>
  value === undefined || value === null ? [] : Array.isArray(value) ? value : [value]

/** The references of a key's defaults: an attribute, so that keys are found quickly among very many. */
export const usesOf = (defaults: Defaults | null): { uses: string[] } => ({
  uses: [
    defaults?.config_id ?? [],
    defaults?.input_guardrails ?? [],
    defaults?.output_guardrails ?? [],
  ].flat(),
})

/** Keys and workspaces whose defaults refer to it. */
export async function usersByDefault(
  call: Call,
  {
    workspaceId,
    members,
    names,
  }: { workspaceId: string | null; members: readonly string[]; names: readonly string[] },
): Promise<string[]> {
  const uses = (document: StoredDocument) => defaultsName(document, members, names)
  const workspaces = await findUsers(call, {
    kind: kinds.workspace,
    title: 'workspace',
    filter: workspaceId === null ? {} : { ids: [workspaceId] },
    uses,
  })
  if (workspaces.length >= enough) return workspaces
  const keys = await findUsers(call, {
    kind: kinds.apiKey,
    title: 'API key',
    filter: {
      attributes: { uses: names },
      ...(workspaceId === null ? {} : { workspace_ids: [workspaceId] }),
    },
    uses,
  })
  return [...workspaces, ...keys]
}
