/**
 * Fine-tuning jobs: forwarded to a provider, or run by the gateway with its own files.
 * https://platform.openai.com/docs/api-reference/fine-tuning
 */
import type { EndpointId } from '@gateway/contract'
import {
  jobAnswer,
  jobCheckpointList,
  jobCreate,
  jobEventList,
  jobList,
  jobQuery,
} from '@gateway/contract/wire'
import { type DeclaredEndpoint, declareEndpoint, type EndpointRoute } from '../declare-endpoint.ts'

type Given = Pick<EndpointRoute, 'method' | 'path' | 'summary' | 'query' | 'answer'>

const declare = (
  id: EndpointId,
  { request = null, ...given }: Given & { request?: DeclaredEndpoint['request'] },
): DeclaredEndpoint =>
  declareEndpoint({
    id,
    request,
    isMetered: false,
    isLogged: id === 'createFinetune',
    mayCache: () => false,
    routes: [{ ...given, operationId: id, tag: 'Fine-tuning', pipeline: 'provider-object' }],
  })

const root = '/v1/fine_tuning/jobs'
const one = `${root}/:fine_tuning_job_id`

export const createFinetune = declare('createFinetune', {
  method: 'POST',
  path: root,
  summary: 'Creates a fine-tuning job',
  request: jobCreate,
  answer: jobAnswer,
})

export const listFinetunes = declare('listFinetunes', {
  method: 'GET',
  path: root,
  summary: 'Lists fine-tuning jobs',
  query: jobQuery,
  answer: jobList,
})

export const retrieveFinetune = declare('retrieveFinetune', {
  method: 'GET',
  path: one,
  summary: 'Returns a fine-tuning job',
  answer: jobAnswer,
})

export const cancelFinetune = declare('cancelFinetune', {
  method: 'POST',
  path: `${one}/cancel`,
  summary: 'Cancels a fine-tuning job',
  answer: jobAnswer,
})

export const listFinetuneEvents = declare('listFinetuneEvents', {
  method: 'GET',
  path: `${one}/events`,
  summary: 'Lists the events of a fine-tuning job',
  query: jobQuery,
  answer: jobEventList,
})

export const listFinetuneCheckpoints = declare('listFinetuneCheckpoints', {
  method: 'GET',
  path: `${one}/checkpoints`,
  summary: 'Lists the checkpoints of a fine-tuning job',
  query: jobQuery,
  answer: jobCheckpointList,
})
