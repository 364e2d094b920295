/** What would happen to a request, and how targets are. Other rooms import this file alone. */
import type { Subject } from '../engine/index.ts'
import { dryRunRoutes } from './dry-run.ts'
import { targetHealthRoutes } from './target-health.ts'

export const routingSubject: Subject = { routes: [dryRunRoutes, targetHealthRoutes] }
