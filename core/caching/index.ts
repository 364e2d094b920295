/**
 * The cache of answers: the key of a request, the age limit, the lookup by meaning, and the calls that identical
 * requests share. Reading and writing by key is in `stages/cache.ts`.
 */
export { cacheKeyOf } from './cache-key.ts'
export { freshHead, maxAgeMs } from './entry-age.ts'
export { reportCacheFault } from './report-fault.ts'
export { createSemanticAnswers } from './semantic-answers.ts'
export { type SemanticLookup, semanticLookup } from './semantic-lookup.ts'
export { createSingleFlight } from './single-flight.ts'
