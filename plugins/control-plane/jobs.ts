/** The one list of jobs: work that runs again and again, on one process at a time. */
import type { Job, ServiceContext } from '@gateway/contract'
import { createKeyWorker } from './api-keys/worker.ts'
import { retentionJob } from './audit/audit-logs.ts'
import { idempotencyMs } from './engine/idempotency.ts'
import { createPeopleWorker } from './people/people-worker.ts'
import { createUsageResets } from './policies/usage-resets.ts'
import { createProviderExpiry } from './providers/expiry.ts'

export const jobs: readonly ((context: ServiceContext) => Job)[] = [
  (context) => retentionJob(context, idempotencyMs),
  createKeyWorker,
  createPeopleWorker,
  createProviderExpiry,
  createUsageResets,
]
