/** Secrets of documents: their names, how they are sealed, shown and kept, and where they are sent. */
export * from './content.ts'
export * from './destinations.ts'
export * from './mask.ts'
export * from './names.ts'
export * from './redact.ts'
export * from './split.ts'
