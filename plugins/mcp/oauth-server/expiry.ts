/** Removes expired codes, tokens and consents, and clients that were not used within a day. */
import type { Job, ServiceContext, StoredDocument } from '@gateway/contract'
import { oauthKinds } from './records.ts'

const everyMs = 3_600_000
const keptMs = 86_400_000
const pageSize = 500

/** The time when a record ended; for an unused client, that of its registration. */
const endOf = ({ kind, created_at, data }: StoredDocument): number => {
  if (kind !== oauthKinds.client) return Number(data.expires_at)
  return data.used_at === null ? created_at : Number.POSITIVE_INFINITY
}

export const expiryJob = ({ context }: { context: ServiceContext<'documents' | 'stopping'> }): Job => ({
  name: 'oauth-expiry',
  intervalMs: everyMs,
  async run(nowMs) {
    const { documents } = context
    const kindsToClean = [
      oauthKinds.client,
      oauthKinds.code,
      oauthKinds.token,
      oauthKinds.consent,
      'mcp_consent',
    ]
    for (const kind of kindsToClean) {
      let after: { kind: string; id: string } | null = null
      for (;;) {
        const page: Awaited<ReturnType<typeof documents.scan>> = await documents.scan(kind, after, pageSize)
        const ended = page.filter((record) => endOf(record) + keptMs < nowMs)
        if (ended.length > 0)
          await documents.commit(ended.map(({ id }) => ({ op: 'remove' as const, kind, id })))
        const last = page.at(-1)
        if (last === undefined || page.length < pageSize || context.stopping.aborted) break
        after = { kind, id: last.id }
      }
    }
  },
})
