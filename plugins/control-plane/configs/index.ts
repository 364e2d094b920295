/** Routing configs and their versions. Other folders import only this file. */
import { defineSubject } from '../engine/index.ts'
import { configs } from './resource.ts'
import { createRolloutWorker } from './rollouts/worker.ts'

export { configs } from './resource.ts'

export const configSubject = defineSubject({
  needs: ['checkConfig', 'logEntries', 'logs'],
  resources: [configs],
  jobs: [(context) => createRolloutWorker(context, () => configs)],
})
