/** Organisations: the first one, their settings and defaults. Other folders import only this file. */
import type { Subject } from '../engine/index.ts'
import { exclusionRoutes } from './exclusions.ts'
import { organisationRoutes } from './routes.ts'

export { beginFirstOrganisation } from './first-organisation.ts'

export const organisationSubject: Subject = { routes: [organisationRoutes, exclusionRoutes] }
