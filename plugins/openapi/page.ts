/** The API reference at /docs/reference: one HTML page that loads Swagger UI and our script for it from this gateway. */
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'

/** Scripts and styles require the nonce of this answer. The page may only call this gateway. */
const policyOf = (nonce: string) =>
  [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    `style-src 'nonce-${nonce}'`,
    "connect-src 'self'",
    "img-src 'self' data:",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ')

export const assetPath = '/docs/assets/'

function tagOf(name: string, nonce: string): string {
  const url = `${assetPath}${name}`
  return name.endsWith('.css')
    ? `<link rel="stylesheet" nonce="${nonce}" href="${url}">`
    : `<script defer nonce="${nonce}" src="${url}"></script>`
}

/** @param manifest written by the build: the files of the page, in order */
export function openPage(manifest: URL) {
  let names: string[] | null = null
  return function render(): { text: string; headers: Record<string, string> } {
    names ??= JSON.parse(readFileSync(manifest, 'utf8')) as string[]
    const nonce = randomBytes(16).toString('base64')
    const text = [
      '<!doctype html><html lang="en"><head><meta charset="utf-8">',
      '<meta name="viewport" content="width=device-width, initial-scale=1">',
      '<meta name="color-scheme" content="light dark">',
      '<title>API reference</title>',
      '<link rel="icon" href="data:,">',
      ...names.map((name) => tagOf(name, nonce)),
      '</head><body><div id="reference"><p class="loading">Loading the API reference …</p></div>',
      '<noscript>The API reference needs JavaScript. The OpenAPI document is at',
      '<a href="/v1/openapi.json">/v1/openapi.json</a>.</noscript>',
      '</body></html>',
    ].join('\n')
    return {
      text,
      headers: {
        'content-type': 'text/html; charset=utf-8',
        'cache-control': 'no-cache',
        'content-security-policy': policyOf(nonce),
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
      },
    }
  }
}
