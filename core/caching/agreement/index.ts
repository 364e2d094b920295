/** What a stored answer's question must have in common with a request, besides a similar embedding. */
export { disagreement } from './disagreement.ts'
export { questionOf } from './question.ts'
export { isQuestion } from './question-type.ts'
