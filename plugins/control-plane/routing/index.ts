/** Target health. Other folders import only this file. */
import { defineSubject } from '../engine/index.ts'
import { targetHealthRoutes } from './target-health.ts'

export const routingSubject = defineSubject({
  needs: ['targetHealth'],
  routes: [targetHealthRoutes],
})
