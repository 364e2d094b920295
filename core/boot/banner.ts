/** The banner on a terminal: the gateway's URL, its data directory, and a first request to copy. */
import { relative, resolve } from 'node:path'
import process from 'node:process'
import type { Registry } from '@gateway/flow'
import type { Gateway } from './open-gateway.ts'
import { storeUrlOf } from './options.ts'

/**
 * @param configPath absolute path; null without a config file
 * @param newKey the admin key, when it was generated at this start
 */
export function banner(
  { url: listening, adminUrl, options, runtime }: Gateway,
  configPath: string | null,
  newKey: string | null,
) {
  const url = reachable(listening)
  const store = storeUrlOf(options)
  const data = store.startsWith('sqlite:') ? resolve(options.dataDir) : withoutPassword(store)
  const [slug = 'SLUG'] = runtime.current.settings.storedTargets.keys()
  const model = `@${slug}/${slug === 'SLUG' || configPath !== null ? 'MODEL' : 'any-model'}`
  return `
  Gateway    ${url}
  Config     ${configPath === null ? 'none: only the embedded provider is configured' : relative(process.cwd(), configPath)}
  Data       ${data}
${pageLines(reachable(adminUrl ?? url), runtime.registry)}
  Try it${newKey === null ? ', with an API key as GATEWAY_KEY' : ''}:

${firstRequest({ url, model, key: newKey }, process.platform)}

`
}

/** A listener on all addresses is called at the loopback address, because not every system connects to 0.0.0.0. */
const reachable = (url: string) => url.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//[::1]:')

/** A command to copy: for POSIX shells, or for cmd.exe, which has other quotes and variables. */
export function firstRequest(
  { url, model, key }: { url: string; model: string; key: string | null },
  platform: NodeJS.Platform,
): string {
  const body = `{"model": "${model}", "messages": [{"role": "user", "content": "hello"}]}`
  if (platform === 'win32')
    return `    curl ${url}/v1/chat/completions -H "authorization: Bearer ${key ?? '%GATEWAY_KEY%'}" -H "content-type: application/json" -d "${body.replaceAll('"', '\\"')}"`
  return `    curl ${url}/v1/chat/completions \\
      -H "authorization: Bearer ${key ?? '$GATEWAY_KEY'}" -H "content-type: application/json" \\
      -d '${body}'`
}

/** The pages of the installed services. They are not for applications, so the admin listener serves them. */
function pageLines(url: string, { services }: Registry): string {
  const pages = [
    { service: 'console', line: `  Console    ${url}/console\n` },
    { service: 'openapi', line: `  Docs       ${url}/docs\n` },
  ]
  return pages
    .flatMap(({ service, line }) => (services.some(({ name }) => name === service) ? line : []))
    .join('')
}

function withoutPassword(text: string): string {
  const url = new URL(text)
  url.password = ''
  return url.href
}
