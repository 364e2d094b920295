/** The columns of the matrix. */
import { type Scenario, others as shared, storyAt } from './scenarios.ts'
import { tooLong } from './too-long.ts'
import { vendorNames } from './vendors/index.ts'

export const others: readonly Scenario[] = [...shared, tooLong]
export const stories: readonly Scenario[] = vendorNames.map(storyAt)
export const scenarios: readonly Scenario[] = [...stories, ...others]
export const countTokensTitle = 'count tokens'
export const promptCacheTitle = 'prompt cache'
