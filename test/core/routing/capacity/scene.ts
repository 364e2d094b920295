/** A gateway with stored providers whose upstreams report limits. */
import { answerWith, openScene, type Reply, type Scene, withSpentProvider } from '../../../support/scene.ts'

export const names = ['a', 'b', 'c'] as const

export const openLimited = (server: Record<string, unknown> = {}): Scene =>
  openScene((origin) => ({
    server,
    providers: {
      ...Object.fromEntries(
        names.map((name) => [
          name,
          { provider: 'openai', api_key: `sk-${name}-very-secret`, custom_host: `${origin}/${name}/v1` },
        ]),
      ),
      ...withSpentProvider(origin).providers,
    },
  }))

export const leaf = (name: string, extra: Record<string, unknown> = {}) => ({
  provider: `@${name}`,
  ...extra,
})

/** The limit of requests, in OpenAI's headers. */
export const requestsLeft = (left: number, reset = '30s', limit = 10) => ({
  'x-ratelimit-limit-requests': String(limit),
  'x-ratelimit-remaining-requests': String(left),
  'x-ratelimit-reset-requests': reset,
})

export const tokensLeft = (left: number, reset = '30s', limit = 1000) => ({
  'x-ratelimit-limit-tokens': String(limit),
  'x-ratelimit-remaining-tokens': String(left),
  'x-ratelimit-reset-tokens': reset,
})

export const says = (headers: Record<string, string>, status = 200) => answerWith(status, headers)

export const full = (reset = '30s') => says(requestsLeft(0, reset))

export interface Decision extends Record<string, unknown> {
  step: string
}

export const decisionsOf = ({ body }: Reply, step: string): Decision[] =>
  ((body.decisions ?? []) as Decision[]).filter((decision) => decision.step === step)

export const explained = { 'x-gateway-explain': 'true' }
