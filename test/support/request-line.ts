/** Method and path of a request in one text: `GET /v1/models`. */
export type RequestLine = `${string} ${string}`

export function readRequestLine(line: RequestLine): { method: string; path: string } {
  const end = line.indexOf(' ')
  return { method: line.slice(0, end), path: line.slice(end + 1) }
}
