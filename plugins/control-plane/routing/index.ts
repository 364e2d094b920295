/** Dry runs and target health. Other folders import only this file. */
import type { Subject } from '../engine/index.ts'
import { dryRunRoutes } from './dry-run.ts'
import { targetHealthRoutes } from './target-health.ts'

export const routingSubject: Subject = { routes: [dryRunRoutes, targetHealthRoutes] }
