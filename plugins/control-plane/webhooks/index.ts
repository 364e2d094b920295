/** Webhooks and the events that they carry. Other rooms import this file alone. */
import type { Subject } from '../engine/index.ts'
import { mailRetention } from '../shared/index.ts'
import { webhooks } from './resource.ts'
import { createEventWorker, deliveryRetention } from './worker.ts'

export { createEventIntake } from './emitted.ts'

export const webhookSubject: Subject = {
  resources: [webhooks],
  jobs: [createEventWorker, deliveryRetention, mailRetention],
}
