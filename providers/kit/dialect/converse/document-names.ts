/**
 * Document names that the API accepts: letters, digits, single spaces, hyphens, round and square brackets, at most
 * 200 characters, unique within a request.
 * Reference: https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_DocumentBlock.html
 */

/** Returns the name for the next document of a request. */
export type DocumentNames = (filename: string | null) => string

const maxLength = 200
const unnamed = 'document'

/** The names of one request. */
export function documentNames(): DocumentNames {
  const taken = new Set<string>()
  return function nameOf(filename) {
    const name = allowedName(filename ?? '')
    for (let count = 1; ; count += 1) {
      const suffix = count === 1 ? '' : ` (${count})`
      const candidate = name.slice(0, maxLength - suffix.length).trimEnd() + suffix
      const key = candidate.toLowerCase()
      if (taken.has(key)) continue
      taken.add(key)
      return candidate
    }
  }
}

function allowedName(filename: string): string {
  const end = filename.lastIndexOf('.')
  const stem = end > 0 ? filename.slice(0, end) : filename
  const name = stem
    .replace(/[^a-zA-Z0-9\-()[\]]+/g, ' ')
    .trim()
    .slice(0, maxLength)
  return name === '' ? unnamed : name
}
