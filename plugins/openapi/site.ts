/** The documentation at /docs: the static pages created by docs/site/build.js. */
import { existsSync, readdirSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const sitePath = '/docs/'

const contentTypes: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.txt': 'text/plain; charset=utf-8',
  '.webp': 'image/webp',
}

const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

interface Page {
  bytes: Buffer
  headers: Record<string, string>
}

/** @param folder the folder of the pages; a build without pages serves none */
export function openSite(folder: URL): (path: string) => Promise<Page | null> {
  const root = fileURLToPath(folder)
  let names: ReadonlySet<string> | null = null
  const listNames = () =>
    new Set(
      existsSync(root)
        ? readdirSync(root, { recursive: true }).map((name) => String(name).replaceAll('\\', '/'))
        : [],
    )
  return async (path) => {
    names ??= listNames()
    const type = contentTypes[extname(path)]
    // Only names in the list are read, so no path can leave the folder.
    if (type === undefined || !names.has(path)) return null
    return {
      bytes: await readFile(join(root, path)),
      headers: {
        'content-type': type,
        'cache-control': 'no-cache',
        'content-security-policy': policy,
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
      },
    }
  }
}
