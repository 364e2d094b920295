/** Routes that enable and disable single capabilities of an upstream, on an integration or a server. */
import type { JsonObject, StoredDocument } from '@gateway/contract'
import type { RemoteIntegrationData, RemoteServerData } from '@gateway/domain'
import { type Call, isFileDocument, isOfFile, writerOf } from '../engine/index.ts'

interface CommitSwitchesOptions {
  switches: Readonly<Record<string, boolean>>
  words: { title: string; resource_type: string }
}

/** Merges switches over the stored ones. */
export async function commitSwitches<Data extends RemoteIntegrationData | RemoteServerData>(
  call: Call,
  found: StoredDocument<Data>,
  { switches, words }: CommitSwitchesOptions,
): Promise<void> {
  if (isFileDocument({ data: { ...found.data } as JsonObject }))
    throw isOfFile(words.title, call.context.filePath)
  const before = found.data.switches ?? {}
  const after = { ...before, ...switches }
  const { version: _, ...draft } = found
  const data = { ...found.data, switches: after, updated_by: writerOf(call) } as JsonObject
  await call.commit(
    [{ op: 'put', document: { ...draft, data, last_updated_at: call.nowMs }, expected: found.version }],
    {
      action: 'update',
      resource_type: words.resource_type,
      resource_id: found.id,
      workspace_id: found.workspace_id,
      before: { ...before },
      after,
    },
  )
}
