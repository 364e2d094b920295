/** Settings and credentials of guardrail plugins, of an organisation. Other rooms import this file alone. */
import type { Subject } from '../engine/index.ts'
import { pluginRoutes } from './routes.ts'

export const pluginSubject: Subject = { routes: [pluginRoutes] }
