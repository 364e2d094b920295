/**
 * The parameters of the specification's five routes, for providers that must distinguish them from callers' additions.
 */
import type { InferenceEndpoint } from '../endpoint.ts'
import { chatCompleteRequest } from './chat.ts'
import { completeRequest } from './completion.ts'
import { embedRequest } from './embedding.ts'
import { imageGenerateRequest } from './image.ts'
import { rerankRequest } from './rerank.ts'

const namesOf = ({ properties }: { properties: object }): ReadonlySet<string> =>
  new Set(Object.keys(properties))

const parameters: Readonly<Record<InferenceEndpoint, ReadonlySet<string>>> = {
  chatComplete: namesOf(chatCompleteRequest),
  complete: namesOf(completeRequest),
  embed: namesOf(embedRequest),
  imageGenerate: namesOf(imageGenerateRequest),
  rerank: namesOf(rerankRequest),
}

/** The specified parameters of an endpoint; callers may send others. */
export const specifiedParameters = (endpoint: InferenceEndpoint): ReadonlySet<string> => parameters[endpoint]
