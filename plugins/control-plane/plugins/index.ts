/** An organisation's settings and credentials of guardrail plugins. Other folders import only this file. */
import type { Subject } from '../engine/index.ts'
import { pluginRoutes } from './routes.ts'

export const pluginSubject: Subject = { routes: [pluginRoutes] }
