/** A body of the log: whoever sent it chose its bytes, so it is shown as text alone, bounded, with nothing that turns text around. */
import { CopyButton } from './copy.tsx'

/** Longer bodies are cut on the screen; copying takes all of it. */
const shownCharacters = 100_000

/** Marks that change the direction of what stands beside them, invisible characters, and controls; not what joins emoji. */
const misleading = /(?![\t\n\r\u200d])[\p{Cc}\p{Cf}]/gu

const unitOf = (code: number) => `\\u${code.toString(16).padStart(4, '0')}`

/** As JSON writes them: a copy of the text still means the same. */
const escaped = (text: string): string =>
  text.replace(misleading, (character) =>
    Array.from({ length: character.length }, (_, index) => unitOf(character.charCodeAt(index))).join(''),
  )

function textOfBody(value: unknown): string {
  if (typeof value === 'string') return value
  try {
    return JSON.stringify(value, null, 2)
  } catch {
    // The stack of the browser bounds how deep a value can be written.
    return 'The body is nested too deeply to be shown.'
  }
}

interface Props {
  title: string
  value: unknown
  /** Whether the gateway kept a part of it alone. */
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
        {escaped(text.slice(0, shownCharacters))}
      </pre>
      {isCut && <p>The gateway kept its beginning alone: logs.max_body says how much.</p>}
      {text.length > shownCharacters && (
        <p>
          The first {shownCharacters.toLocaleString('en')} of {text.length.toLocaleString('en')} characters;
          Copy takes all.
        </p>
      )}
    </section>
  )
}
