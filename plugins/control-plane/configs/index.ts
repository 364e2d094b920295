/** Routing configs and their versions. Other rooms import this file alone. */
import type { Subject } from '../engine/index.ts'
import { configs } from './resource.ts'

export { configs } from './resource.ts'

export const configSubject: Subject = { resources: [configs] }
