/** Times in the config file: ISO 8601. A time without an offset is UTC. */

/** A date, or a date and a time with or without an offset. */
export const timePattern =
  '^\\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\\d|3[01])(T([01]\\d|2[0-3]):[0-5]\\d(:[0-5]\\d(\\.\\d{1,9})?)?(Z|[+-]([01]\\d|2[0-3]):[0-5]\\d)?)?$'

/** The same time in UTC with milliseconds; null for an invalid time. */
export function utcTime(text: string): string | null {
  if (!new RegExp(timePattern).test(text)) return null
  const hasOffset = /(Z|[+-]\d{2}:\d{2})$/.test(text)
  const time = new Date(text.includes('T') && !hasOffset ? `${text}Z` : text)
  return Number.isNaN(time.getTime()) ? null : time.toISOString()
}
