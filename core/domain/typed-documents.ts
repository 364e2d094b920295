/** The documents of a store with the data types of their kinds. */
import type {
  DocumentFilter,
  DocumentPage,
  DocumentPaging,
  Documents,
  StoredDocument,
} from '@gateway/contract'
import type { DataOf, DocumentOf } from './entities/index.ts'

/** {@link Documents} whose reads are typed by kind. */
export interface TypedDocuments extends Pick<Documents, 'commit' | 'watch' | 'refresh'> {
  get<Kind extends string>(kind: Kind, id: string): Promise<DocumentOf<Kind> | null>
  findByKey<Kind extends string>(kind: Kind, key: string): Promise<DocumentOf<Kind> | null>
  list<Kind extends string>(
    kind: Kind,
    filter: DocumentFilter,
    page: DocumentPaging,
  ): Promise<DocumentPage<DataOf<Kind>>>
  scan<Kind extends string | null>(
    kind: Kind,
    after: { kind: string; id: string } | null,
    limit: number,
  ): Promise<DocumentOf<Kind>[]>
}

/** The typed view of a store's documents: documents of a kind were written with that kind's data type. */
export const typedDocuments = (documents: Documents): TypedDocuments => documents as TypedDocuments

/** Whether a document is of a kind; narrows its data type. */
export const isOfKind = <Kind extends string>(
  document: StoredDocument<unknown>,
  kind: Kind,
): document is DocumentOf<Kind> => document.kind === kind
