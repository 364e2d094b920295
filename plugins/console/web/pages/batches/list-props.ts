/** What the lists of the page of batches share. */

export interface ListProps {
  /** Routes of models name the workspace in a header. */
  headers: Record<string, string>
}

export const listLimit = 50

/** In words: `in_progress` and the like. */
export const statusText = (status: string): string => status.replaceAll('_', ' ')
