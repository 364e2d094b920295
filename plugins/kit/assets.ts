/** Built files for browsers (scripts and style sheets), named by their content, which lets browsers cache them. */
import { readdirSync, readFileSync } from 'node:fs'

interface Asset {
  bytes: Buffer
  headers: Readonly<Record<string, string>>
}

const types: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
}

/** The encodings, best first. */
const encodings = [
  { name: 'br', suffix: '.br' },
  { name: 'gzip', suffix: '.gz' },
]

/** Whether a client accepts an encoding: it is listed, and its weight is not 0. */
function accepts(header: string, encoding: string): boolean {
  const entry = header
    .split(',')
    .map((part) => part.trim().toLowerCase())
    .find((part) => part === encoding || part.startsWith(`${encoding};`))
  return entry !== undefined && !/;\s*q=0(\.0*)?$/.test(entry)
}

/** @param folder the folder with the built files; each file is read when it is first requested */
export function openAssets(folder: URL) {
  let names: ReadonlySet<string> | null = null
  const kept = new Map<string, Buffer>()
  const read = (file: string): Buffer => {
    const known = kept.get(file)
    if (known !== undefined) return known
    const bytes = readFileSync(new URL(file, folder))
    kept.set(file, bytes)
    return bytes
  }
  /** Null for an unknown name. */
  return function find(name: string, acceptEncoding: string): Asset | null {
    names ??= new Set(readdirSync(folder))
    const type = types[name.slice(name.lastIndexOf('.') + 1)]
    if (type === undefined || !names.has(name)) return null
    const encoding = encodings.find(
      (one) => accepts(acceptEncoding, one.name) && names?.has(name + one.suffix) === true,
    )
    return {
      bytes: read(name + (encoding?.suffix ?? '')),
      headers: {
        'content-type': type,
        'cache-control': 'public, max-age=31536000, immutable',
        vary: 'accept-encoding',
        'x-content-type-options': 'nosniff',
        ...(encoding === undefined ? {} : { 'content-encoding': encoding.name }),
      },
    }
  }
}
