/** The columns of the matrix. */
import { others, type Scenario, storyAt } from './scenarios.ts'
import { vendorNames } from './vendors/index.ts'

export { others }
export const stories: readonly Scenario[] = vendorNames.map(storyAt)
export const scenarios: readonly Scenario[] = [...stories, ...others]
export const countTokensTitle = 'count tokens'
export const promptCacheTitle = 'prompt cache'
