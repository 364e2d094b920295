/** What a filter lets through, and in which order documents stand: the contract's meaning, under its old name. */
export { compareDocuments, matchesDocument, searchText } from '../domain/document-query.ts'
