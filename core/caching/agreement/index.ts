/** Compares the question of a stored answer with a request, in addition to the similarity of their embeddings. */
export { disagreement } from './disagreement.ts'
export { questionOf } from './question.ts'
export { isQuestion } from './question-type.ts'
