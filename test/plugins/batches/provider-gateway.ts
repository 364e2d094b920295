/** A gateway in front of a played provider, and what tests of its batches ask. */
import { startGateway, type TestGateway } from '../../support/gateway.ts'
import { until as untilIt } from '../../support/until.ts'
import { type FakeProvider, openFakeProvider } from './fake-provider.ts'
import { ask, type Json, type Reply, upload } from './fixtures.ts'

export const chatLine = (id: string, content = 'hi', extra: Json = {}): Json => ({
  custom_id: id,
  method: 'POST',
  url: '/v1/chat/completions',
  body: { model: 'gpt-4.1', messages: [{ role: 'user', content }], max_tokens: 10, ...extra },
})

export const jsonl = (lines: readonly unknown[]) => lines.map((one) => `${JSON.stringify(one)}\n`).join('')

export const parseLines = (text: string): Json[] =>
  text
    .split('\n')
    .filter((one) => one !== '')
    .map((one) => JSON.parse(one))

export const isOver = ({ status }: Json) => /^(completed|failed|cancelled|expired)$/.test(String(status))

export interface ProviderGateway {
  gateway: TestGateway
  provider: FakeProvider
  create(lines: readonly Json[], options: { headers: Record<string, string>; rest?: Json }): Promise<Reply>
  read(id: unknown, headers?: Record<string, string>): Promise<Json>
  until(id: unknown, holds: (batch: Json) => boolean): Promise<Json>
  /** Once the provider has it. */
  submitted(id: unknown): Promise<Json>
  close(): Promise<void>
}

export async function openProviderGateway(pollMs = 1000): Promise<ProviderGateway> {
  const provider = await openFakeProvider()
  const gateway = await startGateway({
    batches: { poll_ms: pollMs },
    providers: {
      up: { provider: 'openai', api_key: 'sk-test', custom_host: provider.url },
      claude: { provider: 'anthropic', api_key: 'sk-ant', custom_host: provider.url },
    },
  })
  const read = async (id: unknown, headers = {}) =>
    (await ask(gateway, `GET /v1/batches/${id}?include_provider_details=true`, { headers })).body
  const until = (id: unknown, holds: (batch: Json) => boolean): Promise<Json> =>
    untilIt('the batch gets there', async () => {
      const batch = await read(id)
      return holds(batch) ? batch : null
    })
  return {
    gateway,
    provider,
    async create(lines, { headers, rest = {} }) {
      // A file that names a target is the provider's.
      const { 'x-gateway-virtual-key': _target, ...caller } = headers
      const file = (await upload(gateway, jsonl(lines), { headers: caller })).body.id
      return ask(gateway, 'POST /v1/batches', {
        headers,
        body: { input_file_id: file, completion_window: '24h', endpoint: '/v1/chat/completions', ...rest },
      })
    },
    read,
    until,
    submitted: (id) =>
      until(id, (batch) => (batch.provider_details as Json | null)?.batch_id != null || isOver(batch)),
    async close() {
      await gateway.stop()
      await provider.close()
    },
  }
}
