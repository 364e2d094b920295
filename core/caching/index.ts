/** Stored answers: the cache key of a request, the lookup by key or by meaning, and the rules for storing. */
export { freshHead, maxAgeMs } from './entry-age.ts'
export { reportCacheFault } from './report-fault.ts'
export { createSemanticAnswers } from './semantic-answers.ts'
export { type SemanticLookup, semanticLookup } from './semantic-lookup.ts'
