/** Secrets of documents: names, sealing, masking, and destinations. */
export * from './content.ts'
export * from './destinations.ts'
export * from './mask.ts'
export * from './names.ts'
export * from './redact.ts'
export * from './split.ts'
