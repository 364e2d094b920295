/**
 * A gateway with more data than fits on a screen: 100,000 keys, long names, a body of 2 MB, a config with many targets.
 */
import { firstOf } from '../plugins/console/furnish.ts'
import { addManyKeys } from '../plugins/console/many-keys.ts'
import { startGateway } from '../support/gateway.ts'
import type { Scene } from './scene.ts'

const own = { workspace_id: 'default' }
const long =
  'A name that somebody wrote without an end in sight, for the team that translates support tickets, '
    .repeat(3)
    .slice(0, 255)

export async function openHugeScene(): Promise<Scene<'huge-log' | 'huge-config' | 'huge-key'>> {
  const gateway = await startGateway({ providers: { echo: { provider: 'echo' } }, logs: { max_body: '4mb' } })
  await addManyKeys(gateway)
  const make = async (path: string, body: unknown): Promise<Record<string, unknown>> => {
    const response = await gateway.post(path, body)
    const made = (await response.json()) as Record<string, unknown>
    if (!response.ok) throw new Error(`${path}: ${JSON.stringify(made)}`)
    return made
  }
  const key = await make('/v1/api-keys', {
    ...own,
    name: long,
    type: 'workspace-service',
    scopes: ['completions.write'],
    usage_limits: [{ type: 'cost', credit_limit: 123_456_789, periodic_reset: 'monthly' }],
  })
  const config = await make('/v1/configs', {
    ...own,
    name: long,
    config: {
      strategy: { mode: 'loadbalance' },
      targets: Array.from({ length: 40 }, (_, index) => ({
        name: `target-${index}-in-a-region-with-a-long-name`,
        provider: '@echo',
        weight: index + 1,
        override_params: { model: `a-model-with-a-very-long-name-and-a-date-2026-01-${index}` },
      })),
    },
  })
  const messages = [{ role: 'user', content: `${'word '.repeat(400_000)}end` }]
  await make('/v1/logs', {
    request: {
      url: '/v1/chat/completions',
      method: 'POST',
      provider: 'bedrock',
      body: { model: 'anthropic.claude-3-5-sonnet-20241022-v2:0-with-a-suffix', messages },
    },
    response: { status: 200, response_time: 123_456, body: { id: 'x', choices: [] } },
    metadata: Object.fromEntries(
      Array.from({ length: 12 }, (_, index) => [`key-${index}`, long.slice(0, 100)]),
    ),
    ...own,
  })
  const log = await firstOf(gateway, '/v1/logs')
  return {
    gateway,
    paths: {
      'huge-log': `/logs/${String(log.id)}`,
      'huge-config': `/configs/${String(config.id)}`,
      'huge-key': `/keys/${String(key.id)}`,
    },
    stop: () => gateway.stop(),
  }
}
