/** Organisations: the first one, their settings and defaults. Other folders import only this file. */
import { defineSubject } from '../engine/index.ts'
import { exclusionRoutes } from './exclusions.ts'
import { organisationRoutes } from './routes.ts'

export { beginFirstOrganisation } from './first-organisation.ts'

export const organisationSubject = defineSubject({
  needs: ['checkUrl', 'email', 'isAddressRange', 'publicUrl'],
  routes: [organisationRoutes, exclusionRoutes],
})
