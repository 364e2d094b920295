/**
 * The audit log, and its records of events that are not calls of the management API. Other rooms import this file
 * alone.
 */
import { defineSubject } from '../engine/index.ts'
import { auditRoutes, retentionJob } from './audit-logs.ts'

export { recordReload } from './config-reload.ts'
export { recordAlert } from './limit-alert.ts'
export { recordToken } from './refused-token.ts'

export const auditSubject = defineSubject({
  needs: ['auditRetentionDays'],
  routes: [auditRoutes],
  jobs: [retentionJob],
})
