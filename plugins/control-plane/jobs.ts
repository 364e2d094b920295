/** The one list of jobs: work that runs again and again, on one process at a time. */
import type { Job, ServiceContext } from '@gateway/core/contract'
import { retentionJob } from './audit-logs.ts'
import { idempotencyMs } from './engine/idempotency.ts'
import { createKeyWorker } from './resources/api-key-worker.ts'
import { createPeopleWorker } from './resources/people-worker.ts'
import { createProviderExpiry } from './resources/provider-expiry.ts'
import { createUsageResets } from './resources/usage-resets.ts'

export const jobs: readonly ((context: ServiceContext) => Job)[] = [
  (context) => retentionJob(context, idempotencyMs),
  createKeyWorker,
  createPeopleWorker,
  createProviderExpiry,
  createUsageResets,
]
