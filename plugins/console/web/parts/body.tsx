/**
 * A body from the log. Its sender chose its bytes, so it is shown as plain text, truncated, and without characters that
 * change the direction of text.
 */
import { CopyButton } from './copy.tsx'

/** Longer bodies are truncated on the screen, but copied in full. */
const shownCharacters = 100_000

/** Characters that change text direction, invisible characters and control characters, except those that join emoji. */
const misleading = /(?![\t\n\r\u200d])[\p{Cc}\p{Cf}]/gu

const unitOf = (code: number) => `\\u${code.toString(16).padStart(4, '0')}`

/** Escapes misleading characters as JSON does, so a copy of the text has the same meaning. */
export const readable = (text: string): string =>
  text.replace(misleading, (character) =>
    Array.from({ length: character.length }, (_, index) => unitOf(character.charCodeAt(index))).join(''),
  )

function textOfBody(value: unknown): string {
  if (typeof value === 'string') return value
  try {
    return JSON.stringify(value, null, 2)
  } catch {
    // The browser's stack limits the depth of a value that can be serialized.
    return 'The body is nested too deeply to be shown.'
  }
}

interface Props {
  title: string
  value: unknown
  /** Whether the gateway stored only part of the body. */
  isCut?: boolean
}

export function Body({ title, value, isCut = false }: Props) {
  if (value === undefined || value === null) return null
  const text = textOfBody(value)
  return (
    <section>
      <div class="head">
        <h2>{title}</h2>
        <CopyButton text={text} />
      </div>
      <pre class="body" tabIndex={0} role="region" aria-label={title}>
        {readable(text.slice(0, shownCharacters))}
      </pre>
      {isCut && <p>Only the beginning is stored. The setting logs.max_body limits its size.</p>}
      {text.length > shownCharacters && (
        <p>
          The first {shownCharacters.toLocaleString('en')} of {text.length.toLocaleString('en')} characters;
          the button copies all of them.
        </p>
      )}
    </section>
  )
}
