/**
 * The configs that refer to an object, including those of the config file. They block its deletion, and the error names
 * them.
 */
import { isObject } from '@gateway/contract'
import { kinds } from '@gateway/domain'
import type { Call } from '../engine/index.ts'
import { type ConfigReferences, referencesOf } from './config-references.ts'
import { findUsers, nameOf } from './users-of.ts'

export interface Referred {
  as: keyof ConfigReferences
  /** Slug and id. */
  names: readonly string[]
  /** Null: configs that every workspace sees. */
  workspaceId: string | null
}

export async function configsUsing(call: Call, { as, names, workspaceId }: Referred): Promise<string[]> {
  const ofFile = call.context.fileDocuments().filter(({ kind, data }) => {
    if (kind !== kinds.config || !isObject(data.config)) return false
    return referencesOf(data.config)[as].some((name) => names.includes(name))
  })
  const stored = await findUsers(call, {
    kind: kinds.config,
    title: 'config',
    filter: {
      statuses: ['active'],
      attributes: { [as]: names },
      ...(workspaceId === null ? {} : { workspace_ids: [workspaceId] }),
    },
    uses: () => true,
  })
  return [...ofFile.map((document) => `config ${nameOf(document)} of the config file`), ...stored]
}
