/**
 * Headers of one's own to add to. Name by name: what is added to a copy by spread gives every object a shape of its own,
 * which V8 can neither share nor remember.
 */
export function copyHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  const copy: Record<string, string> = {}
  for (const name in headers) copy[name] = headers[name] as string
  return copy
}
