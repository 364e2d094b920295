/** Webhooks and their events. Other folders import only this file. */
import { kinds } from '@gateway/domain'
import { defineSubject } from '../engine/index.ts'
import { forgetOld } from '../shared/index.ts'
import { webhooks } from './resource.ts'
import { createEventWorker } from './worker.ts'

export { createEventIntake } from './emitted.ts'

export const webhookSubject = defineSubject({
  needs: [
    'beginWork',
    'checkUrl',
    'countDeliveries',
    'countMail',
    'counters',
    'email',
    'publicUrl',
    'send',
    'shared',
  ],
  resources: [webhooks],
  jobs: [
    createEventWorker,
    forgetOld({ kind: kinds.webhookDelivery, days: 7, name: 'webhook-deliveries' }),
    forgetOld({ kind: kinds.mail, days: 7, name: 'mail-retention' }),
  ],
})
