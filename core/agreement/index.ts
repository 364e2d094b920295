/** Compares the question of a stored answer with a request, in addition to the similarity of their embeddings. */
export { type Disagreement, disagreement } from './disagreement.ts'
export { questionOf } from './question.ts'
export { isQuestion, type Question } from './question-type.ts'
