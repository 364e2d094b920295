/**
 * A conversation as a list of turns. Reasoning and tool results are collapsed. The middle of a long conversation is
 * hidden.
 */
import { Fragment } from 'preact'
import { useState } from 'preact/hooks'
import { readable } from './body.tsx'
import type { Part, Turn } from './conversation.ts'

const roleNames: Readonly<Record<string, string>> = {
  system: 'System',
  developer: 'Developer',
  user: 'User',
  assistant: 'Assistant',
  model: 'Assistant',
  tool: 'Tool',
  function: 'Tool',
}

/** The number of turns that are shown at the beginning and at the end. */
const shownAtEnds = 6

interface Props {
  /** The list's name for screen readers. */
  label: string
  turns: readonly Turn[]
  /** The text of an empty conversation. */
  empty: string
}

export function Conversation({ label, turns, empty }: Props) {
  const [isWhole, setWhole] = useState(false)
  if (turns.length === 0) return <p class="note">{empty}</p>
  const hidden = isWhole ? 0 : Math.max(0, turns.length - 2 * shownAtEnds)
  const indexed = turns.map((turn, index) => ({ turn, index }))
  const shown = hidden === 0 ? indexed : [...indexed.slice(0, shownAtEnds), ...indexed.slice(-shownAtEnds)]
  return (
    <ol class="conversation" aria-label={label}>
      {shown.map(({ turn, index }) => (
        <Fragment key={index}>
          {hidden > 0 && index === turns.length - shownAtEnds && (
            <li class="hidden-turns">
              <button type="button" class="link" onClick={() => setWhole(true)}>
                Show {hidden} more {hidden === 1 ? 'turn' : 'turns'}
              </button>
            </li>
          )}
          <OneTurn turn={turn} />
        </Fragment>
      ))}
    </ol>
  )
}

const OneTurn = ({ turn: { role, parts } }: { turn: Turn }) => (
  <li class={`turn ${role === 'model' ? 'assistant' : role}`}>
    <p class="role">{roleNames[role] ?? role}</p>
    {parts.map((part, index) => (
      <OnePart key={index} part={part} />
    ))}
  </li>
)

function OnePart({ part }: { part: Part }) {
  if (part.kind === 'text') return <Text text={part.text} />
  if (part.kind === 'thinking') return <Folded title="Thinking" text={part.text} />
  if (part.kind === 'media') return <Media {...part} />
  if (part.kind === 'result')
    return <Folded title={part.name === '' ? 'Result' : `Result of ${part.name}`} text={part.text} isCode />
  return (
    <div class="call">
      <p>
        Calls <code>{readable(part.name)}</code>
      </p>
      <pre tabIndex={0} role="region" aria-label={`Arguments of ${part.name}`}>
        {readable(part.text)}
      </pre>
    </div>
  )
}

/** Longer texts are collapsed after their beginning. */
const mostChars = 4_000

function Text({ text }: { text: string }) {
  const [isWhole, setWhole] = useState(false)
  const isLong = text.length > mostChars && !isWhole
  return (
    <>
      <p class="said">{readable(isLong ? `${text.slice(0, mostChars)}…` : text)}</p>
      {isLong && (
        <button type="button" class="link" onClick={() => setWhole(true)}>
          Show all {text.length.toLocaleString('en')} characters
        </button>
      )}
    </>
  )
}

const Folded = ({ title, text, isCode = false }: { title: string; text: string; isCode?: boolean }) => (
  <details class="folded">
    <summary>
      {title} <span class="size">{text.length.toLocaleString('en')} characters</span>
    </summary>
    {isCode ? (
      <pre tabIndex={0} role="region" aria-label={title}>
        {readable(text)}
      </pre>
    ) : (
      <p class="said">{readable(text)}</p>
    )}
  </details>
)

/**
 * Shows an image that the log contains. An image at a URL is only named, because the console loads nothing from other
 * servers.
 */
const Media = ({ name, url }: { name: string; url: string | null }) =>
  url?.startsWith('data:image/') === true ? (
    <img class="media" src={url} alt={`${name} of this turn`} />
  ) : (
    <p class="note">
      {name}
      {url === null || url.startsWith('data:') ? '' : ` at ${readable(url)}`}
    </p>
  )
