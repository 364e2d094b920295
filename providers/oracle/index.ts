/**
 * Oracle Cloud's generative AI: chat with models of Meta, xAI, Google, OpenAI and Cohere in its own formats, with
 * signed requests.
 * Reference: https://docs.oracle.com/iaas/api/#/EN/generative-ai-inference/20231130/ChatResult/Chat
 */
import type { Dialect, ProviderAdapter } from '@gateway/contract'
import { type Auth, bearer, inlineMedia, signOci } from '@gateway/provider-kit'
import { oracleAnswer } from './answer.ts'
import { oracleError } from './errors.ts'
import { dataLines } from './framing.ts'
import { oracleRequest } from './request.ts'
import { baseUrl, configurations, signerOf } from './settings.ts'
import { oracleStream } from './stream.ts'

const dialect: Dialect = {
  name: 'oracle-chat',
  parameters: ['top_k', 'thinking', 'verbosity'],
  request: oracleRequest,
  answer: oracleAnswer,
  stream: oracleStream,
  framing: dataLines,
  error: oracleError,
}

const asBearer = bearer()

/** Signs the request if the stored credential has a signing key; otherwise sends the API key as a bearer token. */
const auth: Auth = (request, settings, io) => {
  const signer = signerOf(settings)
  if (signer === null) return asBearer(request, settings, io)
  return signOci(request, signer, new Date(io.now()).toUTCString())
}

const models = [
  'cohere.command-a-03-2025',
  'cohere.command-a-reasoning',
  'cohere.command-a-vision',
  'google.gemini-2.5-flash',
  'google.gemini-2.5-pro',
  'meta.llama-3.3-70b-instruct',
  'meta.llama-4-maverick-17b-128e-instruct-fp8',
  'openai.gpt-oss-120b',
  'xai.grok-4',
]

const adapter: ProviderAdapter = {
  name: 'oracle',
  title: 'Oracle Cloud Generative AI',
  docs: 'https://docs.oracle.com/iaas/api/#/EN/generative-ai-inference/20231130/ChatResult/Chat',
  baseUrl,
  credential: 'required',
  auth,
  endpoints: {
    chatComplete: { kind: 'http', method: 'POST', path: '/actions/chat', dialect, prepare: inlineMedia },
  },
  models: models.map((id) => ({ id, owned_by: id.split('.')[0] })),
  configurations,
  notes: {
    remarks: [
      'Requests are signed with the stored `oracle_private_key` (with `oracle_tenancy`, `oracle_user`, `oracle_fingerprint`); without it `api_key` is sent as a bearer token.',
      'Models run in `oracle_compartment_id`, by default the tenancy’s root compartment; `oracle_serving_mode: DEDICATED` calls the endpoint `oracle_endpoint_id`, by default the model’s name.',
      'The format follows the model (`cohere.…vision` and `…reasoning`: COHEREV2, other `cohere.…`: COHERE, else GENERIC); `oracle_api_format` sets it for a dedicated endpoint.',
      'The default token limit for Meta’s and Cohere’s models is 4000: the service’s own default ends answers after a few words.',
      '`temperature` and penalties of Cohere’s models are clamped to 0..1.',
      '`reasoning_effort` above `high` is `HIGH`.',
      'Cohere’s older format supports no images, no forced calls and no `n`; neither of its formats has web search. All refuse `modalities` other than text.',
    ],
    drops: {
      chatComplete: [
        'user',
        'service_tier',
        'store',
        'prediction',
        'tools[].function.strict',
        'image_url.detail',
        'logit_bias (Cohere)',
        'logprobs (COHERE)',
        'parallel_tool_calls (Cohere)',
      ],
    },
    credentials: ['configurations.oracle_private_key', 'api_key'],
    example: {
      provider: 'oracle',
      configurations: {
        oracle_region: 'us-chicago-1',
        oracle_tenancy: 'ocid1.tenancy.oc1..aaaa',
        oracle_user: 'ocid1.user.oc1..aaaa',
        oracle_fingerprint: '20:3b:97:13:55:1c:5b:0d:d3:37:d8:50:4e:c5:3a:34',
        oracle_private_key: `\${OCI_PRIVATE_KEY}`,
        oracle_compartment_id: 'ocid1.compartment.oc1..aaaa',
      },
    },
  },
}

export default adapter
