/** A percent-decoded part of a path; unchanged when its encoding is invalid. */
export function decodeSegment(written: string): string {
  try {
    return decodeURIComponent(written)
  } catch {
    return written
  }
}
