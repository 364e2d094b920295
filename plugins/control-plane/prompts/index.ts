/** Prompts, partials, labels and collections. Other folders import only this file. */
import { defineSubject } from '../engine/index.ts'
import { collections } from './collections.ts'
import { labels } from './labels.ts'
import { partials } from './partials.ts'
import { prompts } from './prompts.ts'
import { renderRoute } from './render-route.ts'
import { runRoutes } from './run-routes.ts'

export { renderPrompt } from './render-prompt.ts'

export const promptSubject = defineSubject({
  needs: ['bodyLimitBytes', 'stopping'],
  // Listed first: otherwise `partials` in `/prompts/partials` would be read as the id of a prompt.
  resources: [partials, prompts, labels, collections],
  routes: [renderRoute, runRoutes],
})
