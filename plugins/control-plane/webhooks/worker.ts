/** The jobs of events: handing them over, sending what is due, and forgetting deliveries after 7 days. */
import type { Job, ServiceContext } from '@gateway/contract'
import { kinds } from '@gateway/core/domain'
import { createMailListener, createMailSender } from '../shared/index.ts'
import { createSender } from './deliver.ts'
import { createFanOut } from './fan-out.ts'

const keptMs = 7 * 86_400_000
const pageSize = 500

export function createEventWorker(context: ServiceContext): Job {
  const fanOut = createFanOut(context, [createMailListener(context)])
  const senders = [createSender(context), createMailSender(context)]
  return {
    name: 'events',
    intervalMs: 1000,
    async run() {
      await fanOut()
      // Sending goes on behind the job, each webhook and the mail server under a lease of its own.
      for (const sender of senders) await sender.begin(context.now())
    },
  }
}

export const deliveryRetention = ({ ports: { documents } }: ServiceContext): Job => ({
  name: 'webhook-deliveries',
  intervalMs: 3_600_000,
  async run(nowMs) {
    const kind = kinds.webhookDelivery
    for (;;) {
      const { documents: old } = await documents.list(
        kind,
        { created_to: nowMs - keptMs },
        { sort: 'created_at', order: 'asc' },
        { offset: 0, limit: pageSize },
      )
      if (old.length > 0) await documents.commit(old.map(({ id }) => ({ op: 'remove', kind, id })))
      if (old.length < pageSize) return
    }
  },
})
