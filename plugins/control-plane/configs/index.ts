/** Routing configs and their versions. Other folders import only this file. */
import type { Subject } from '../engine/index.ts'
import { configs } from './resource.ts'
import { createRolloutWorker } from './rollouts/worker.ts'

export { configs } from './resource.ts'

export const configSubject: Subject = {
  resources: [configs],
  jobs: [(context) => createRolloutWorker(context, () => configs)],
}
