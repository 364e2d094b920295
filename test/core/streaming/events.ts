/**
 * A reader of event streams that shares nothing with the gateway's own, line by line as the standard has it:
 * https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation
 */

/** The data of every event that is complete; what follows the last empty line counts for nothing. */
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

/** A chat chunk as an upstream may send it, no larger than it must be. */
export const piece = (content: string): string => JSON.stringify({ choices: [{ delta: { content } }] })

/** The contents of the chunks among some events' data, put together. */
export function textOf(events: readonly string[]): string {
  return events
    .filter((data) => data !== '[DONE]')
    .map((data) => (JSON.parse(data) as Chunk).choices?.[0]?.delta?.content ?? '')
    .join('')
}

interface Chunk {
  choices?: { delta?: { content?: string } }[]
}

/** The code of the error that an event holds; null when it holds none. */
export function errorCodeOf(data: string | undefined): string | null {
  if (data === undefined || data === '[DONE]') return null
  return (JSON.parse(data) as { error?: { code?: string } }).error?.code ?? null
}

export const bytesOf = async (response: Response): Promise<Uint8Array> =>
  new Uint8Array(await response.arrayBuffer())
