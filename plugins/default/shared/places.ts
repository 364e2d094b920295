/** Finds where a pattern occurs, in several turns of the event loop: a long text must not block other work. */
import type { Pattern, TextPart, Turns } from '@gateway/contract'

/** A place in a body; offsets are UTF-16 units. */
export interface Place {
  path: string
  start: number
  end: number
}

/** Finds at most `limit` places where a pattern occurs. */
export function* findPlaces(pattern: Pattern, parts: readonly TextPart[], limit: number): Turns<Place[]> {
  const places: Place[] = []
  for (const { path, text } of parts) {
    if (places.length >= limit) break
    const spans = yield* pattern.inTurns.find(text, limit - places.length)
    for (const { start, end } of spans) places.push({ path, start, end })
  }
  return places
}
