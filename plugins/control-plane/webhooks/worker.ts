/** The job of events: handing them over, and sending what is due. */
import type { Job, ServiceContext } from '@gateway/contract'
import { createMailListener, createMailSender } from '../shared/index.ts'
import { createSender } from './deliver.ts'
import { createFanOut } from './fan-out.ts'

export function createEventWorker(context: ServiceContext): Job {
  const fanOut = createFanOut(context, [createMailListener(context)])
  const senders = [createSender(context), createMailSender(context)]
  return {
    name: 'events',
    intervalMs: 1000,
    // Webhooks and mail wait for it: a process that died is not waited for long. Two at once hand over nothing twice.
    longestRunMs: 30_000,
    async run() {
      await fanOut()
      // Sending goes on behind the job, each webhook and the mail server under a lease of its own.
      for (const sender of senders) await sender.begin(context.now())
    },
  }
}
