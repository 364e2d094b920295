/** Parts of the page that only people have: their sessions. */
import { Sessions } from '../../parts/sessions.tsx'
import type { ExtrasProps } from '../objects/extras.ts'

export const UserExtras = ({ row }: ExtrasProps) => <Sessions user={String(row.id)} />
