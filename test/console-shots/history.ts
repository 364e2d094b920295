/** Two days of requests, more by day than by night, as logged for requests that were made elsewhere. */
import type { TestGateway } from '../support/gateway.ts'

const hourMs = 3_600_000
const hours = 48
const perCall = 100

const models = [
  { provider: 'openai', model: 'gpt-4o', share: 5, slowness: 1 },
  { provider: 'openai', model: 'gpt-4o-mini', share: 3, slowness: 0.5 },
  { provider: 'anthropic', model: 'claude-sonnet-4-5', share: 2, slowness: 1.4 },
] as const

const choices = models.flatMap((one) => Array.from({ length: one.share }, () => one))

/** The numbers are deterministic, because pictures are compared. */
function createRandom(): () => number {
  let state = 20_260_101
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31
    return state / 2 ** 31
  }
}

export async function addHistory(gateway: TestGateway): Promise<void> {
  const random = createRandom()
  const now = Date.now()
  const entries: object[] = []
  for (let hour = hours; hour >= 1; hour--) {
    const at = now - hour * hourMs
    const wave = 1 - Math.cos(((new Date(at).getUTCHours() - 2) / 24) * 2 * Math.PI)
    const count = Math.round(6 + 16 * wave + random() * 6)
    for (let index = 0; index < count; index++) {
      const { provider, model, slowness } = choices[Math.floor(random() * choices.length)] ?? models[0]
      const isFault = random() < 0.04
      const [input, output] = [Math.round(200 + random() * 900), Math.round(50 + random() * 500)]
      entries.push({
        request: {
          url: '/v1/chat/completions',
          method: 'POST',
          provider,
          body: { model, messages: [{ role: 'user', content: 'Summarise this ticket.' }] },
        },
        response: {
          status: isFault ? 503 : 200,
          response_time: Math.round((300 + 2_500 * random() ** 3) * slowness),
          body: isFault
            ? { error: { message: 'overloaded', type: 'server_error' } }
            : {
                id: 'chatcmpl-1',
                object: 'chat.completion',
                model,
                choices: [],
                usage: { prompt_tokens: input, completion_tokens: output, total_tokens: input + output },
              },
        },
        metadata: { _user: `user-${Math.floor(random() * 8)}` },
        created_at: new Date(at + Math.floor(random() * hourMs)).toISOString(),
        workspace_id: 'default',
      })
    }
  }
  for (let from = 0; from < entries.length; from += perCall) {
    const response = await gateway.post('/v1/logs', entries.slice(from, from + perCall))
    if (!response.ok) throw new Error(`/v1/logs: ${await response.text()}`)
  }
}
