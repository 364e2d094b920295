/**
 * An event stream parser independent of the gateway's own, line by line as in the standard:
 * https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation
 */

/** The data of every complete event; anything after the last empty line is ignored. */
export function dataOf(bytes: Uint8Array): string[] {
  const text = new TextDecoder('utf-8').decode(bytes)
  const lines = text.split(/\r\n|\n|\r/)
  lines.pop()
  const events: string[] = []
  let data: string[] | null = null
  for (const line of lines) {
    if (line === '') {
      if (data !== null) events.push(data.join('\n'))
      data = null
    } else if (line === 'data' || line.startsWith('data:')) {
      data = [...(data ?? []), line.slice(5).replace(/^ /, '')]
    }
  }
  return events
}

/** A minimal chat chunk of an upstream. */
export const piece = (content: string): string => JSON.stringify({ choices: [{ delta: { content } }] })

/** The joined contents of the chunks in some events' data. */
export function textOf(events: readonly string[]): string {
  return events
    .filter((data) => data !== '[DONE]')
    .map((data) => (JSON.parse(data) as Chunk).choices?.[0]?.delta?.content ?? '')
    .join('')
}

interface Chunk {
  choices?: { delta?: { content?: string } }[]
}

/** The error code in an event; null when it contains none. */
export function errorCodeOf(data: string | undefined): string | null {
  if (data === undefined || data === '[DONE]') return null
  return (JSON.parse(data) as { error?: { code?: string } }).error?.code ?? null
}

export const bytesOf = async (response: Response): Promise<Uint8Array> =>
  new Uint8Array(await response.arrayBuffer())
