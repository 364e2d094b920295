/**
 * The single HTML page of the console. It answers every path below /console, and its script shows the page of the path.
 */
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'

interface Manifest {
  script: string
  style: string
}

/** No inline scripts; inline styles require the nonce of this answer. */
const policyOf = (nonce: string) =>
  [
    "default-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "object-src 'none'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
    "form-action 'self'",
  ].join('; ')

/** Pages for people without a session. */
const isOpenPage = (path: string) => /^\/console\/(login|sign-in|accept-invite)/.test(path)

/** The script requests the session first, so the browser preloads it while the script is loading. */
const sessionPreload = '<link rel="preload" as="fetch" crossorigin href="/v1/auth/self">'

/** @param manifest written by the build */
export function openPage(manifest: URL) {
  let names: Manifest | null = null
  return function render(path: string): { text: string; headers: Record<string, string> } {
    names ??= JSON.parse(readFileSync(manifest, 'utf8')) as Manifest
    const nonce = randomBytes(16).toString('base64')
    const text = [
      '<!doctype html><html lang="en"><head><meta charset="utf-8">',
      '<meta name="viewport" content="width=device-width, initial-scale=1">',
      '<meta name="color-scheme" content="light dark">',
      `<meta name="style-nonce" nonce="${nonce}">`,
      '<title>Console</title>',
      '<link rel="icon" href="data:,">',
      `<link rel="stylesheet" href="/console/assets/${names.style}">`,
      `<script type="module" src="/console/assets/${names.script}"></script>`,
      ...(isOpenPage(path) ? [] : [sessionPreload]),
      '</head><body><div id="app"></div>',
      '<noscript>The console needs JavaScript.</noscript>',
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
