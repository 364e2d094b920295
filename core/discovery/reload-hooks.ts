/**
 * Module hooks for packages in development: a module imported with `?generation=N` adds the same to its relative
 * imports, so that the whole package is reloaded.
 * https://nodejs.org/docs/latest-v20.x/api/module.html#customization-hooks
 */
import type { ResolveHook } from 'node:module'

export const generationKey = 'generation'

export const resolve: ResolveHook = async (specifier, context, nextResolve) => {
  const resolved = await nextResolve(specifier, context)
  if (context.parentURL === undefined || !specifier.startsWith('.')) return resolved
  if (!URL.canParse(context.parentURL) || !resolved.url.startsWith('file:')) return resolved
  const generation = new URL(context.parentURL).searchParams.get(generationKey)
  if (generation === null) return resolved
  const url = new URL(resolved.url)
  url.searchParams.set(generationKey, generation)
  return { ...resolved, url: url.href }
}
