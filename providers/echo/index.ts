/**
 * `echo`: the embedded provider. No network, no credential, deterministic: equal requests get equal texts. It repeats
 * the user's last message, so that configs, policies and guardrails can be tried without cost. A body's `echo` object
 * (from the caller, or from a config's `override_params`) sets latency, pace and faults.
 */
import type { ProcedureEndpoint, ProviderAdapter } from '@gateway/contract'
import { withBehaviour } from './behaviour.ts'
import { chatComplete } from './chat.ts'
import { complete } from './completion.ts'
import { embed } from './embedding.ts'
import { imageEdit, imageGenerate } from './image.ts'
import { moderate } from './moderation.ts'
import { rerank } from './rerank.ts'
import { createSpeech } from './speech.ts'
import { createTranscript } from './transcript.ts'

const procedure = (run: ProcedureEndpoint['run']): ProcedureEndpoint => ({
  kind: 'procedure',
  run: withBehaviour(run),
})

const echo: ProviderAdapter = {
  name: 'echo',
  priceList: null,
  title: 'Echo',
  docs: 'README.md',
  baseUrl: null,
  credential: 'none',
  auth: (request) => request,
  endpoints: {
    chatComplete: procedure(chatComplete),
    complete: procedure(complete),
    embed: procedure(embed),
    imageGenerate: procedure(imageGenerate),
    rerank: procedure(rerank),
    createSpeech: procedure(createSpeech),
    createTranscription: procedure(createTranscript),
    createTranslation: procedure(createTranscript),
    moderate: procedure(moderate),
    imageEdit: procedure(imageEdit),
  },
  models: [
    { id: 'echo-1', owned_by: 'gateway' },
    { id: 'echo-embed-1', owned_by: 'gateway' },
    { id: 'echo-image-1', owned_by: 'gateway' },
    { id: 'echo-rerank-1', owned_by: 'gateway' },
    { id: 'echo-speech-1', owned_by: 'gateway' },
    { id: 'echo-transcript-1', owned_by: 'gateway' },
    { id: 'echo-moderation-1', owned_by: 'gateway' },
  ],
}

export default echo
