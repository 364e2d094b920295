/**
 * `echo`: the embedded provider. No network, no credential, deterministic: the same request gets the same text.
 * It says back what the user said last, so that configs, policies and guardrails can be tried without spending.
 * A body's `echo` object (from the caller, or from a config's `override_params`) sets latency, pace and faults.
 */
import type { ProcedureEndpoint, ProviderAdapter } from '@gateway/core/contract'
import { withBehaviour } from './behaviour.ts'
import { chatComplete } from './chat.ts'
import { complete } from './completion.ts'
import { embed } from './embedding.ts'
import { imageGenerate } from './image.ts'
import { rerank } from './rerank.ts'

const procedure = (run: ProcedureEndpoint['run']): ProcedureEndpoint => ({
  kind: 'procedure',
  run: withBehaviour(run),
})

const echo: ProviderAdapter = {
  name: 'echo',
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
  },
  models: [
    { id: 'echo-1', owned_by: 'gateway' },
    { id: 'echo-embed-1', owned_by: 'gateway' },
    { id: 'echo-image-1', owned_by: 'gateway' },
    { id: 'echo-rerank-1', owned_by: 'gateway' },
  ],
}

export default echo
