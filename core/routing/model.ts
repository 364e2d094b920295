/** Models written `@slug/model`: the slug of a stored credential before the provider's own name. */

export interface WrittenModel {
  slug: string
  name: string
}

/** Null for a model that is not written with a slug. */
export function splitModel(model: unknown): WrittenModel | null {
  const written = typeof model === 'string' ? /^@([^/]+)\/(.+)$/s.exec(model) : null
  return written?.[1] === undefined || written[2] === undefined
    ? null
    : { slug: written[1], name: written[2] }
}
