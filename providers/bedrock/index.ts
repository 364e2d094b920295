/**
 * Amazon Bedrock: chat with the Converse API for every model; embeddings, images, completions and the Messages format
 * in each model's own format (InvokeModel); rerank with the agent runtime service. Calls are signed with an access
 * key, a role or the gateway's own identity, or use a Bedrock API key.
 * Reference: https://docs.aws.amazon.com/bedrock/latest/APIReference/API_Operations_Amazon_Bedrock_Runtime.html
 */
import type { HttpEndpoint, ProviderAdapter, ProviderSettings } from '@gateway/contract'
import {
  type AwsEnvironment,
  awsAuth,
  awsCredentials,
  awsRegion,
  cloudFiles,
  converseDialect,
  inlineMedia,
  readAwsEnvironment,
} from '@gateway/provider-kit'
import { modelOf, modelPath, serviceUrl } from './address.ts'
import { batchEndpoints, batchLines } from './batches.ts'
import { complete } from './complete.ts'
import { configurations } from './configurations.ts'
import { embed } from './embed.ts'
import { fineTuningJobs } from './fine-tuning.ts'
import { imageGenerate } from './image.ts'
import { countTokens, messages, withBetas } from './messages.ts'
import { knownModels, modelsEndpoint } from './models.ts'
import { notes } from './notes.ts'
import { ownIdentity } from './own-identity.ts'
import { rerankEndpoint } from './rerank.ts'
import { s3Store } from './storage.ts'

const chatComplete: HttpEndpoint = {
  kind: 'http',
  method: 'POST',
  path: (body) => modelPath(modelOf(body), body.stream === true ? 'converse-stream' : 'converse'),
  headers: ({ stream }) => ({
    accept: stream === true ? 'application/vnd.amazon.eventstream' : 'application/json',
  }),
  prepare: inlineMedia,
  dialect: converseDialect,
}

/** Creates the adapter for a process with this environment. */
export function bedrock(environment: AwsEnvironment): ProviderAdapter {
  const regionOf = (settings: ProviderSettings): string => awsRegion(settings, environment)
  const credentials = awsCredentials(environment)
  const sign = awsAuth({ service: 'bedrock', environment, credentials })
  const store = s3Store({ regionOf, sign: awsAuth({ service: 's3', environment, credentials }) })
  return {
    name: 'bedrock',
    priceList: 'aws',
    title: 'Amazon Bedrock',
    docs: 'https://docs.aws.amazon.com/bedrock/latest/APIReference/',
    baseUrl: (settings) => serviceUrl('bedrock-runtime', regionOf(settings)),
    credential: 'required',
    auth: (request, settings, io) => sign(withBetas(request), settings, io),
    ownIdentity,
    endpoints: {
      chatComplete,
      complete,
      embed,
      imageGenerate,
      rerank: rerankEndpoint(regionOf),
      messages,
      countTokens,
      listModels: modelsEndpoint(regionOf),
      ...cloudFiles(store),
      ...batchEndpoints(regionOf),
      ...fineTuningJobs(regionOf),
    },
    batchLines,
    models: knownModels,
    configurations,
    stored: { required: [], keyed: { member: 'aws_auth_type', values: ['apiKey'] } },
    notes,
  }
}

export default bedrock(readAwsEnvironment(process.env))
