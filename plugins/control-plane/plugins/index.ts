/** An organisation's settings and credentials of guardrail plugins. Other folders import only this file. */
import { defineSubject } from '../engine/index.ts'
import { pluginRoutes } from './routes.ts'

export const pluginSubject = defineSubject({ needs: ['checkUrl', 'plugins'], routes: [pluginRoutes] })
