/** Shared properties of the lists on the page of batches. */

export interface ListProps {
  /** The workspace of the request, which routes of models take from a header. */
  headers: Record<string, string>
}

export const listLimit = 50

/** Formats a status such as `in_progress` in words. */
export const statusText = (status: string): string => status.replaceAll('_', ' ')
