/** A part of a path, without its percent-encoding; as it is written where it has none or a wrong one. */
export function decodeSegment(written: string): string {
  try {
    return decodeURIComponent(written)
  } catch {
    return written
  }
}
