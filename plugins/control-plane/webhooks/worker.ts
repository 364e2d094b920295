/** The job of events: distributes them and sends what is due. */
import type { Job } from '@gateway/contract'
import type { ManagementContext } from '../engine/index.ts'
import { createMailListener, createMailSender } from '../shared/index.ts'
import { createSender } from './deliver.ts'
import { createFanOut } from './fan-out.ts'

export function createEventWorker(
  context: ManagementContext<
    'beginWork' | 'countDeliveries' | 'countMail' | 'counters' | 'email' | 'publicUrl' | 'send' | 'shared'
  >,
): Job {
  const fanOut = createFanOut(context, [createMailListener(context)])
  const senders = [createSender(context), createMailSender(context)]
  return {
    name: 'events',
    intervalMs: 1000,
    // Short, because webhooks and mail wait for it after a crash. Two concurrent runs deliver nothing twice.
    longestRunMs: 30_000,
    async run() {
      await fanOut()
      // Sending continues after the job, with a separate lease for each webhook and the mail server.
      for (const sender of senders) await sender.begin(context.now())
    },
  }
}
