/** The banner on a terminal: the gateway's URL, its data directory, and a first request to copy. */
import { relative, resolve } from 'node:path'
import process from 'node:process'
import type { Gateway } from './open-gateway.ts'
import { storeUrlOf } from './options.ts'

/**
 * @param configPath absolute; null without a config file
 * @param newKey the admin key, when it was generated at this start
 */
export function banner({ url, options, runtime }: Gateway, configPath: string | null, newKey: string | null) {
  const store = storeUrlOf(options)
  const data = store.startsWith('sqlite:') ? resolve(options.dataDir) : withoutPassword(store)
  const [slug = 'SLUG'] = runtime.current.settings.storedTargets.keys()
  const model = `@${slug}/${slug === 'SLUG' || configPath !== null ? 'MODEL' : 'any-model'}`
  return `
  Gateway    ${url}
  Config     ${configPath === null ? 'none: only the embedded provider is configured' : relative(process.cwd(), configPath)}
  Data       ${data}
  API docs   ${url}/docs

  Try it${newKey === null ? ', with an API key as GATEWAY_KEY' : ''}:

    curl ${url}/v1/chat/completions \\
      -H "authorization: Bearer ${newKey ?? '$GATEWAY_KEY'}" -H "content-type: application/json" \\
      -d '{"model": "${model}", "messages": [{"role": "user", "content": "hello"}]}'

`
}

function withoutPassword(text: string): string {
  const url = new URL(text)
  url.password = ''
  return url.href
}
