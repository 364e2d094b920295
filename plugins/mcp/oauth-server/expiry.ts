/** Removes expired codes, tokens and consents. */
import type { Job } from '@gateway/contract'
import type { McpRuntime } from '../runtime.ts'
import { oauthKinds } from './records.ts'

const everyMs = 3_600_000
const keptMs = 86_400_000
const pageSize = 500

export const expiryJob = ({ context }: Pick<McpRuntime, 'context'>): Job => ({
  name: 'oauth-expiry',
  intervalMs: everyMs,
  async run(nowMs) {
    const { documents } = context.ports
    for (const kind of [oauthKinds.code, oauthKinds.token, oauthKinds.consent, 'mcp_consent']) {
      let after: { kind: string; id: string } | null = null
      for (;;) {
        const page: Awaited<ReturnType<typeof documents.scan>> = await documents.scan(kind, after, pageSize)
        const ended = page.filter(({ data }) => Number(data.expires_at) + keptMs < nowMs)
        if (ended.length > 0)
          await documents.commit(ended.map(({ id }) => ({ op: 'remove' as const, kind, id })))
        const last = page.at(-1)
        if (last === undefined || page.length < pageSize || context.stopping.aborted) break
        after = { kind, id: last.id }
      }
    }
  },
})
